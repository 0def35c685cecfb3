// What contenders take beside time: memory, and room on the disk.
import { lstatSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { timeOnce } from "./measure.mjs";
import { change } from "./repository.mjs";
import { fourFiles, holds } from "./work.mjs";

/** @typedef {import("./contenders/contender.mjs").Contender} Contender */
/** @typedef {{ ms: number, bytes: number }} First */
/** @typedef {{ createBytes: number, restoreBytes: number | undefined }} Memory */

/** The first snapshot in a repository, with what has to be made for it. @param {Contender} contender @returns {First} */
export function takeFirst(contender) {
  const before = storeBytes(contender);
  const { name, repository, tools, create, snapshot, start } = contender;
  const { ms } = timeOnce({
    name,
    run: () =>
      tools.patiently(() => {
        start?.();
        return create();
      }),
    check: (output) => holds(contender, snapshot(output), fourFiles(repository)),
  });
  return { ms, bytes: storeBytes(contender) - before };
}

/** One that merges what it has stored does so sooner; if not, it never does. */
const MOST_SNAPSHOTS = 100;

/**
 * What each of the next ones adds, with four files that changed: the mean of at least so many. For one that merges what it has
 * stored from time to time it is counted from right after a merge to right after another: a merge of what was there before would
 * make it less than nothing.
 * @param {Contender} contender @param {number} least
 */
export function bytesEach(contender, least) {
  createUntilMerged(contender, 1);
  const before = storeBytes(contender);
  const count = createUntilMerged(contender, least);
  return (storeBytes(contender) - before) / count;
}

/** How many it took. @param {Contender} contender @param {number} least */
function createUntilMerged({ name, repository, create, packs }, least) {
  for (let count = 1; count <= MOST_SNAPSHOTS; count++) {
    const before = packs?.() ?? 0;
    change(repository, fourFiles(repository));
    create();
    const merged = packs === undefined || packs() < before;
    if (merged && count >= least) return count;
  }
  throw new Error(`"${name}" merged nothing in ${MOST_SNAPSHOTS} snapshots`);
}

const MEMORY_RUNS = 2;

/** @param {Contender} contender @returns {Memory} */
export function peakMemory({ tools, repository, create, snapshot, restore }) {
  let id = "";
  const peaks = Array.from({ length: MEMORY_RUNS }, () => {
    change(repository, fourFiles(repository));
    let output = "";
    const bytes = tools.peakMemory(() => {
      output = create();
    });
    id = snapshot(output).id;
    return bytes;
  });
  change(repository, repository.modified);
  return {
    createBytes: Math.max(...peaks),
    restoreBytes: restore === undefined ? undefined : tools.peakMemory(() => restore(id)),
  };
}

/** Everything that a tool may keep: in the project's own repository, beside it, and in its user's home. @param {Contender} contender */
function storeBytes({ tools, repository }) {
  const folders = [".git", ".jj", ".checkpoints"].map((name) => join(repository.folder, name));
  return [...folders, tools.home].reduce((sum, folder) => sum + bytesIn(folder), 0);
}

const BLOCK = 512;

/** As the disk has it: a small file takes a whole block. @param {string} path @returns {number} */
function bytesIn(path) {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) return 0;
  const own = stat.blocks * BLOCK;
  if (!stat.isDirectory()) return own;
  return readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), own);
}
