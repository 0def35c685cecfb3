// What a checkpoint that was taken beside the user's git may hold of the index and of HEAD. Which moment it was nobody knows, but the user
// edits one file only, so every index and every commit that was there is the first one with some version of that file.
import { heldCommit, heldIndex, heldTree, writtenTree } from "../faults/held.mjs";

/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */

/**
 * @typedef {object} Work
 * @property {Fingerprint} began before the first command
 * @property {string} path the file that the user edits
 * @property {Set<string>} versions the blobs that it has been
 */

/**
 * @param {import("../faults/fingerprint.mjs").Place} place @param {string} ref @param {Work} work
 * @returns {Promise<string[]>}
 */
export async function wrongStaged(place, ref, work) {
  const commit = await heldCommit(place, ref);
  const raw = writtenTree(await heldIndex(place, ref));
  const index = await heldTree(place, `${ref}:index`);
  return [
    ...(commit === "" ? [`${ref} is of no commit`] : []),
    ...neverThere(`${ref}:index.raw`, raw, work),
    ...neverThere(`${ref}:index`, index, work),
    ...(raw.get(work.path) === index.get(work.path) ? [] : [`${ref}: index.raw and index differ`]),
    ...neverThere(`the commit of ${ref}`, await heldTree(place, `${ref}^1`), work),
  ];
}

/** @param {string} what @param {ReadonlyMap<string, string>} held @param {Work} work @returns {string[]} */
function neverThere(what, held, { began, path: edited, versions }) {
  const first = writtenTree(began.index);
  return [...new Set([...first.keys(), ...held.keys()])]
    .filter((path) =>
      path === edited
        ? !versions.has(held.get(path)?.split(" ")[1] ?? "")
        : first.get(path) !== held.get(path),
    )
    .map((path) => `${what} has ${held.get(path) ?? "nothing"} at ${JSON.stringify(path)}`);
}
