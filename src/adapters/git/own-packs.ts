/**
 * Keeps the number of our packs small. Every checkpoint publishes one, and git looks into each pack for each object:
 * a thousand of them would slow down the user's own `git log`, and fifty would set off `git gc --auto`.
 *
 * A marker file names each of our packs. When there are many, the smallest are merged into one by git, as
 * `git repack` does it: the new pack is in place and synced before the old ones go. Those that the user's multi-pack-index
 * names stay as long as it does, and do not count as many: git finds objects by that index instead of looking into each.
 *
 * A marker is empty until the pack was merged. A pack without an index may be all that is left of checkpoints, so it goes only
 * if its marker says that another one holds everything.
 */
import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../files/make-folders.ts";
import { Failure } from "../../domain/failure.ts";
import { syncFolder } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import { statOf } from "../files/file-stat.ts";
import { namesIn } from "../files/names-in.ts";
import { A_MINUTE, takeLock } from "../files/owned-lock.ts";
import { readRegular } from "../files/regular-file.ts";
import { packsInMultiPackIndex } from "./multi-pack-index.ts";
import { Quarantine } from "./quarantine.ts";
import { alternates } from "./git-environment.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

const MOST_PACKS = 20;
const MERGED_AT_ONCE = 16;

export function packFolder(repository: Repository): string {
  return join(repository.commonDir, "objects", "pack");
}

export function notePack(repository: Repository, hash: string): void {
  makeFolders(markerFolder(repository), 0o700);
  writeFileSync(markerOf(repository, hash), "", { mode: 0o600 });
}

/** Packs of ours that lost their index, so that git does not read them. None that are on their way in or out. */
export function packsWithoutIndex(repository: Repository): string[] {
  return markers(repository)
    .filter((hash) => {
      const path = packPath(repository, hash);
      if (!isThere(`${path}.pack`) || isThere(`${path}.idx`)) return false;
      return !isThere(`${path}.keep`) && !isMerged(repository, hash);
    })
    .map((hash) => `${packPath(repository, hash)}.pack`);
}

/** Packs of ours that are there, and how large they are together. */
export function ownPacks(repository: Repository): { count: number; bytes: number } {
  const sizes = markers(repository).flatMap((hash) => {
    const path = join(packFolder(repository), `pack-${hash}.pack`);
    return existsSync(path) ? [statSync(path).size] : [];
  });
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

function packLockPath(repository: Repository): string {
  return join(repository.sharedDir, "packs.lock");
}

/**
 * Never fails because of others: somebody's `git gc` may take the packs meanwhile, and then nothing is left to do. Returns the packs
 * whose objects are in another one now.
 */
export async function mergePacks(repository: Repository): Promise<readonly string[]> {
  if (markers(repository).length < MOST_PACKS) return [];
  let lock;
  try {
    lock = await takeLock(packLockPath(repository), "merging packs", 0, 60 * A_MINUTE);
  } catch (error) {
    if (error instanceof Failure && error.code === "locked") return [];
    throw error;
  }
  try {
    const chosen = smallestPacks(repository);
    return chosen.length > 1 ? await merge(repository, chosen) : [];
  } finally {
    lock.release();
  }
}

/** Of those that may go after that. Markers of packs that `git gc` has taken in are forgotten here. */
function smallestPacks(repository: Repository): string[] {
  const sizes: { hash: string; size: number }[] = [];
  const staying = packsInMultiPackIndex(packFolder(repository));
  if (staying === undefined) return [];
  for (const hash of markers(repository)) {
    if (staying.has(hash)) continue;
    const path = packPath(repository, hash);
    if (isThere(`${path}.keep`)) continue;
    const size = statOf(`${path}.pack`)?.size;
    if (size === undefined) {
      forget(repository, hash);
    } else if (isThere(`${path}.idx`)) {
      // Killed before its removal began: from now on it counts again.
      if (isMerged(repository, hash)) notePack(repository, hash);
      sizes.push({ hash, size: Number(size) });
    } else if (isMerged(repository, hash)) {
      // Killed while it was removed.
      rmSync(`${path}.pack`, { force: true });
      forget(repository, hash);
    }
  }
  if (sizes.length < MOST_PACKS) return [];
  return sizes
    .toSorted((left, right) => left.size - right.size)
    .slice(0, MERGED_AT_ONCE)
    .map(({ hash }) => hash);
}

async function merge(
  repository: Repository,
  hashes: readonly string[],
): Promise<readonly string[]> {
  const quarantine = new Quarantine(repository);
  try {
    const base = quarantine.path("merged");
    // Git prepares a pack in its folder for objects: a killed one leaves nothing there.
    const objects = quarantine.path("objects");
    makeFolders(join(objects, "pack"));
    const env = {
      GIT_OBJECT_DIRECTORY: objects,
      ...alternates(join(repository.commonDir, "objects")),
    };
    const result = await runGit(
      repository,
      // No search for deltas: what is compressed already is copied as it is. `git gc` does better at leisure.
      [
        "-c",
        "pack.writeReverseIndex=false",
        "pack-objects",
        "-q",
        "--stdin-packs",
        "--window=0",
        base,
      ],
      { input: hashes.map((hash) => `pack-${hash}.pack\n`).join(""), accept: [0, 128], env },
    );
    const merged = result.stdout.toString("latin1").trim();
    if (result.exitCode !== 0 || !/^[0-9a-f]{40,64}$/.test(merged)) return [];
    const target = join(packFolder(repository), `pack-${merged}`);
    renameSync(`${base}-${merged}.pack`, `${target}.pack`);
    renameSync(`${base}-${merged}.idx`, `${target}.idx`);
    syncFolder(packFolder(repository));
    notePack(repository, merged);
    const others = hashes.filter((hash) => hash !== merged);
    for (const hash of others) removePack(repository, hash, merged);
    return others;
  } finally {
    quarantine.discard();
  }
}

/**
 * The index first: a pack without one is not used by anybody. The multi-pack-index is read again each time, as the user's git
 * may have written it meanwhile; then the pack stays, with its marker.
 */
function removePack(repository: Repository, hash: string, merged: string): void {
  if (packsInMultiPackIndex(packFolder(repository))?.has(hash) !== false) return;
  const path = packPath(repository, hash);
  // Not synced: a pack without an index and without this stays.
  writeFileSync(markerOf(repository, hash), `${MERGED}${merged}\n`, { mode: 0o600 });
  for (const ending of ["idx", "rev", "pack"]) rmSync(`${path}.${ending}`, { force: true });
  forget(repository, hash);
}

function forget(repository: Repository, hash: string): void {
  rmSync(markerOf(repository, hash), { force: true });
}

const MERGED = "merged into ";

function isMerged(repository: Repository, hash: string): boolean {
  try {
    return readRegular(markerOf(repository, hash), "latin1").startsWith(MERGED);
  } catch (error) {
    // Forgotten meanwhile.
    if (isMissing(error)) return false;
    throw error;
  }
}

/** Fails where that cannot be found out, as on a disk with errors. */
function isThere(path: string): boolean {
  return statOf(path) !== undefined;
}

function packPath(repository: Repository, hash: string): string {
  return join(packFolder(repository), `pack-${hash}`);
}

function markerOf(repository: Repository, hash: string): string {
  return join(markerFolder(repository), hash);
}

function markers(repository: Repository): string[] {
  return namesIn(markerFolder(repository)).filter((name) => /^[0-9a-f]{40,64}$/.test(name));
}

function markerFolder(repository: Repository): string {
  return join(repository.sharedDir, "packs");
}
