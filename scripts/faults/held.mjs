// Whether a checkpoint holds all of a state, by plain git: the work tree, what was staged, the commit that HEAD stood at and the
// operation in progress. docs/storage-format.md says where each of them is.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isOperationFile, readIndex } from "./fingerprint.mjs";
import { INTENT_TO_ADD, missingFromCheckpoint } from "./oracle.mjs";
import { mustStore, runStore } from "./store.mjs";

/** @typedef {import("./fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("./fingerprint.mjs").Place} Place */

/**
 * Nothing is wrong when it is one of the states as a whole; else what it lacks of the nearest one.
 * @param {Place} place @param {string} ref @param {readonly Fingerprint[]} states @param {(path: string) => boolean} kept
 * @returns {Promise<string[]>}
 */
export async function notOneOf(place, ref, states, kept) {
  /** @type {string[] | undefined} */ let nearest;
  for (const state of states) {
    const wrong = [
      ...(await missingFromCheckpoint(place, ref, [state], kept)),
      ...(await wrongBesideFiles(place, ref, state)),
    ];
    if (wrong.length === 0) return [];
    if (nearest === undefined || wrong.length < nearest.length) nearest = wrong;
  }
  return nearest ?? [];
}

/**
 * All but the work tree.
 * @param {Place} place @param {string} ref @param {Fingerprint} state @returns {Promise<string[]>}
 */
export async function wrongBesideFiles(place, ref, state) {
  const raw = await heldIndex(place, ref);
  const parent = await heldCommit(place, ref);
  const commit = commitOf(state);
  return [
    ...unequal(`${ref}:index.raw`, state.index, raw),
    ...unequal(`${ref}:index`, writtenTree(state.index), await heldTree(place, `${ref}:index`)),
    ...(parent === commit ? [] : [`${ref} is of ${parent || "no commit"}, not ${commit}`]),
    ...unequal(`${ref}:operation`, operationOf(state), await heldOperation(place, ref)),
  ];
}

/** The entries of `index.raw`; none where there was no index. @param {Place} place @param {string} ref */
export async function heldIndex(place, ref) {
  const { code, stdout } = await runStore(place, ["cat-file", "blob", `${ref}:index.raw`]);
  if (code !== 0) return new Map();
  // Git wants a file of its own for it.
  const folder = mkdtempSync(join(tmpdir(), "waymark-held-"));
  try {
    const file = join(folder, "index");
    writeFileSync(file, stdout);
    return await readIndex({ ...place, env: { ...place.env, GIT_INDEX_FILE: file } });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * What `git write-tree` makes of an index: stage 0 without what is only intended to be added.
 * @param {Map<string, string>} index @returns {Map<string, string>}
 */
export function writtenTree(index) {
  /** @type {Map<string, string>} */ const tree = new Map();
  for (const [key, entry] of index) {
    const [path = "", stage] = key.split("\0");
    const [mode, id, flags = "0"] = entry.split(" ");
    if (stage === "0" && (parseInt(flags, 16) & INTENT_TO_ADD) === 0)
      tree.set(path, `${mode} ${id}`);
  }
  return tree;
}

/** Mode and object by path; empty where there is no such tree. @param {Place} place @param {string} tree */
export async function heldTree(place, tree) {
  const { stdout } = await runStore(place, ["ls-tree", "-r", "-z", tree]);
  /** @type {Map<string, string>} */ const held = new Map();
  for (const line of stdout.toString("latin1").split("\0")) {
    const match = /^(\d{6}) \w+ ([0-9a-f]+)\t(.*)$/s.exec(line);
    if (match) held.set(match[3] ?? "", `${match[1]} ${match[2]}`);
  }
  return held;
}

/** The first parent; "" where there is none. @param {Place} place @param {string} ref */
export async function heldCommit(place, ref) {
  const { stdout } = await runStore(place, ["rev-parse", "-q", "--verify", `${ref}^1`]);
  return stdout.toString().trim();
}

/** @param {Place} place @param {string} ref */
async function heldOperation(place, ref) {
  /** @type {Map<string, string>} */ const held = new Map();
  for (const [path, entry] of await heldTree(place, `${ref}:operation`)) {
    if (!isOperationFile(path)) continue;
    const { stdout } = await mustStore(place, ["cat-file", "blob", entry.split(" ")[1] ?? ""]);
    if (stdout.length > 0) held.set(path, stdout.toString("latin1"));
  }
  return held;
}

/** A fingerprint has folders too, as empty files. @param {Fingerprint} state */
const operationOf = ({ operation }) => new Map([...operation].filter(([, text]) => text !== ""));

/** The commit that HEAD stands at; "" before the first one. @param {Fingerprint} state */
function commitOf({ head, refs }) {
  const branch = /^ref: (.*)\n$/.exec(head)?.[1];
  return branch === undefined ? head.trim() : (refs.get(branch) ?? "");
}

/**
 * @param {string} what @param {ReadonlyMap<string, string>} wanted @param {ReadonlyMap<string, string>} held
 * @returns {string[]}
 */
function unequal(what, wanted, held) {
  const paths = new Set([...wanted.keys(), ...held.keys()]);
  return [...paths]
    .filter((path) => wanted.get(path) !== held.get(path))
    .map(
      (path) =>
        `${what} has ${held.get(path) ?? "nothing"} at ${JSON.stringify(path)}, not ${wanted.get(path) ?? "nothing"}`,
    );
}
