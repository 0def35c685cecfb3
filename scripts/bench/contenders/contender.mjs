// What takes snapshots of a work tree, Waymark or another, as the benchmark sees it: one interface, so that all of them do the same work and are
// checked the same way.

/** @typedef {import("../process.mjs").Tools} Tools */
/** @typedef {import("../repository.mjs").Repository} Repository */
/** @typedef {import("../statistics.mjs").Sample} Sample */

/**
 * Where plain git finds what a snapshot holds.
 * @typedef {object} Snapshot
 * @property {string} id what `restore` takes
 * @property {string} gitDir
 * @property {string} tracked a tree
 * @property {string} [untracked] the tree with the files that git does not track; none: it does not hold them
 */

/**
 * @typedef {object} Contender
 * @property {string} name as it is in the tables
 * @property {boolean} peer
 * @property {Tools} tools with a home of its own
 * @property {Repository} repository of its own
 * @property {() => void} [start] makes its store, once
 * @property {() => string} create what is timed; what it printed
 * @property {(output: string) => Snapshot} snapshot what was made
 * @property {() => number} [packs] how many it has stored, where it merges them when they are many
 * @property {((id: string) => string)} [restore] what is timed
 * @property {string} [restoreName] where it is another command
 * @property {() => void} [undo] takes the last restore back
 * @property {(output: string) => Sample} [timed] it runs in a process that a user has running already, and times itself
 * @property {import("../measure.mjs").Case} [startUp] the start of its program alone, where that is much of its time
 * @property {boolean} keepsIndex a restore also brings back what is staged
 */

/** Where a contender works. @typedef {{ tools: Tools, repository: Repository }} Place */

/** For those that print `{ id, ms, cpuMs }`. @param {string} output @returns {Sample & { id: string }} */
export const readTimed = (output) => JSON.parse(output.trim().split("\n").at(-1) ?? "");
