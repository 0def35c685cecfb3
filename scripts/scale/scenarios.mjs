// Everything that is tried, in the order of the table.
import { auditLog, checkpoints, hookCalls, sessions } from "./scenarios/many-records.mjs";
import { changedFiles, untrackedFiles } from "./scenarios/many-files.mjs";
import { largeFile } from "./scenarios/large-file.mjs";
import { trackedFiles } from "./scenarios/tracked-files.mjs";

/**
 * @typedef {object} Scenario
 * @property {string} id
 * @property {number} size also tried with a tenth of it
 * @property {string} unit
 * @property {number} bytesPerItem how much more memory the node process may take for each one more
 * @property {number} [diskPerItem] bytes of disk that each takes at the worst moment
 * @property {(site: import("./site.mjs").Site, size: number) => import("./site.mjs").Step[]} build
 */

/** @type {readonly Scenario[]} */
export const SCENARIOS = [
  trackedFiles,
  untrackedFiles,
  changedFiles,
  largeFile,
  checkpoints,
  sessions,
  hookCalls,
  auditLog,
];
