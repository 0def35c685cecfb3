// Waymark, as its users start it, and as a program that has its library loaded.
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readTimed } from "./contender.mjs";

/** @typedef {import("./contender.mjs").Contender} Contender */
/** @typedef {import("./contender.mjs").Place} Place */

const LIBRARY_CALL = fileURLToPath(new URL("library-call.mjs", import.meta.url));

/** @param {Place} place @param {string} id @returns {import("./contender.mjs").Snapshot} */
function snapshotOf({ repository }, id) {
  const tree = `refs/waymark/cp/${id}:worktree`;
  return { id, gitDir: `${repository.folder}/.git/waymark/store`, tracked: tree, untracked: tree };
}

/** @param {string} output "created cp-…", "unchanged since cp-…" */
const idIn = (output) => /\bcp-\S+/.exec(output)?.[0] ?? "";

/** @param {Place} place @param {{ name: string, args?: string[] }} options @returns {Contender} */
export function waymark(place, { name, args = [] }) {
  const { folder } = place.repository;
  return {
    ...place,
    name,
    peer: false,
    create: () => place.tools.waymark(folder, "create", ...args),
    snapshot: (output) => snapshotOf(place, idIn(output)),
    packs: () =>
      readdirSync(join(folder, ".git/waymark/store/objects/pack")).filter((name) =>
        name.endsWith(".pack"),
      ).length,
    restore: (id) => place.tools.waymark(folder, "rollback", id, "--yes"),
    undo: () => void place.tools.waymark(folder, "undo", "--yes"),
    keepsIndex: true,
  };
}

/** @param {Place} place @returns {Contender} */
export function waymarkLibrary(place) {
  const { folder } = place.repository;
  return {
    ...place,
    name: "waymark's library, in a running process",
    peer: false,
    create: () => place.tools.node(folder, LIBRARY_CALL, "create"),
    snapshot: (output) => snapshotOf(place, readTimed(output).id),
    restore: (id) => place.tools.node(folder, LIBRARY_CALL, "restore", id),
    timed: readTimed,
    keepsIndex: true,
  };
}
