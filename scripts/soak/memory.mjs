// What the oracle remembers: the state of the project at each checkpoint that was reported, on disk because an hour makes many,
// and for each work tree what undo and redo have to go to.
import { existsSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { deserialize, serialize } from "node:v8";
import { takeFingerprint } from "../faults/fingerprint.mjs";
import { hasStore, mustStore, runStore } from "../faults/store.mjs";

/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("./repositories.mjs").Tree} Tree */

/** @typedef {{ undo: string[], redo: string[] }} Ways the checkpoints to go to, the next one last */

export class Memory {
  #folder;
  /** Pinned by the run itself: no cleanup may take them. @type {Set<string>} */
  pinned = new Set();

  /** @param {string} folder */
  constructor(folder) {
    this.#folder = folder;
    mkdirSync(folder, { recursive: true });
  }

  /** @param {string} id @param {Fingerprint} state */
  remember(id, state) {
    const { files, index, head, refs, operation } = state;
    writeFileSync(join(this.#folder, id), serialize({ files, index, head, refs, operation }));
  }

  /** @param {string} id @returns {Fingerprint | undefined} */
  recall(id) {
    const path = join(this.#folder, id);
    if (id === "" || !existsSync(path)) return undefined;
    const rest = { stats: new Map(), indexDigest: "", stash: "", exclude: "", gitFiles: new Map() };
    return { ...rest, ...deserialize(readFileSync(path)) };
  }

  ids() {
    return readdirSync(this.#folder);
  }

  /** Of checkpoints that are gone for good. @param {ReadonlySet<string>} there */
  forgetOthers(there) {
    for (const id of this.ids()) if (!there.has(id)) rmSync(join(this.#folder, id));
  }
}

/** @param {Tree} tree */
export const look = (tree) => takeFingerprint(tree.seen);

/**
 * Every checkpoint ref of the repository, by plain git.
 * @param {Tree} tree @param {"cp" | "trash"} kind @returns {Promise<Set<string>>}
 */
export async function refsOf(tree, kind) {
  const prefix = `refs/waymark/${kind}/`;
  if (!hasStore(tree.seen)) return new Set();
  const { stdout } = await mustStore(tree.seen, ["for-each-ref", "--format=%(refname)", prefix]);
  const names = stdout.toString().split("\n").filter(Boolean);
  return new Set(names.map((name) => name.slice(prefix.length)));
}

/**
 * The documents of all sessions, as plain git shows them.
 * @param {Tree} tree @returns {Promise<any[]>}
 */
export async function sessionsOf(tree) {
  const format = "--format=%(contents:body)%00";
  if (!hasStore(tree.seen)) return [];
  const { stdout } = await mustStore(tree.seen, ["for-each-ref", format, "refs/waymark/session/"]);
  return stdout
    .toString()
    .split("\0\n")
    .filter((text) => text.trim() !== "")
    .map((text) => JSON.parse(text));
}

/**
 * What undo and redo of a work tree may go to, as the sessions have it: each session's own list, in its order.
 * @param {Tree} tree @returns {Promise<Map<string, Ways>>}
 */
export async function waysOf(tree) {
  /** @type {Map<string, Ways>} */ const ways = new Map();
  for (const session of await sessionsOf(tree)) {
    const line = session.worktrees[tree.worktreeId];
    if (line === undefined) continue;
    const ids = (/** @type {{ return_id: string }[]} */ list) =>
      list.map(({ return_id }) => return_id);
    ways.set(session.id, { undo: ids(line.undo), redo: ids(line.redo) });
  }
  return ways;
}

/**
 * Blob ids of all files that a checkpoint holds.
 * @param {Tree} tree @param {string} id @returns {Promise<Map<string, string>>}
 */
export async function heldFiles(tree, id) {
  const list = ["ls-tree", "-r", "-z", `refs/waymark/cp/${id}:worktree`];
  const { stdout } = await mustStore(tree.seen, list);
  const entries = stdout.toString("latin1").split("\0").filter(Boolean);
  return new Map(
    entries.map((entry) => {
      const [about = "", path = ""] = entry.split("\t");
      return [path, about.split(" ")[2] ?? ""];
    }),
  );
}

/**
 * The refs beside HEAD's branch that a rollback to a checkpoint sets, as its document has them; null: there was none.
 * @param {Tree} tree @param {string} id @returns {Promise<Record<string, string | null>>}
 */
export async function recordedRefs(tree, id) {
  const asked = ["log", "-1", "--format=%b", `refs/waymark/cp/${id}`];
  const { stdout, code } = await runStore(tree.seen, asked);
  return code === 0 ? JSON.parse(stdout.toString()).git.refs : {};
}
