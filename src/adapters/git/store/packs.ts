/**
 * Keeps the store small and quick. Every checkpoint adds a pack, and git looks into each pack for each object: when there are many, the
 * smallest are merged. After checkpoints were removed, what is left is written into one pack and the old ones go.
 *
 * Git's own garbage collection never runs here: it drops what the project has at that moment and may lose later. Nothing here waits for a
 * create or makes it wait. A process that is about to store something has a quarantine; while one of another process exists, no object is
 * removed.
 */
import { chmodSync, existsSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { syncFolder } from "../../files/durable-write.ts";
import { quickStatOf } from "../../files/file-stat.ts";
import { namesIn } from "../../files/names-in.ts";
import { A_MINUTE, takeLockNow } from "../../files/owned-lock.ts";
import { stateOf } from "../capture/trusted-objects.ts";
import { parentsOf } from "../commit-object.ts";
import { IN_PIECES } from "../git-environment.ts";
import { treeOfCommit } from "../head.ts";
import type { ObjectType } from "../object-hash.ts";
import { ObjectReader } from "../object-reader.ts";
import { PackSpool } from "../pack-spool.ts";
import { storePack } from "../publish.ts";
import { Quarantine, liveQuarantines } from "../quarantine.ts";
import { refValues } from "../ref-values.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { decodeTree } from "../tree-object.ts";
import { spoolBlob } from "../write-blob.ts";
import { preparing } from "./copy-objects.ts";
import { lockBases, readBases, writeBases } from "./bases.ts";
import { withoutBorrowing } from "./store-place.ts";

const MAX_PACKS = 20;
const MERGED_AT_ONCE = 16;
/** Others may add checkpoints while the rest is packed; each round packs what has been added since the one before. */
const ROUNDS = 4;

const PACKING = [
  ...IN_PIECES,
  "-c",
  "pack.writeReverseIndex=false",
  "-c",
  "pack.packSizeLimit=0",
  "pack-objects",
  "-q",
  "--non-empty",
  "--delta-base-offset",
  "--window=0",
];

export function packFolder({ commonDir }: Pick<Repository, "commonDir">): string {
  return join(commonDir, "objects", "pack");
}

/** Paths without their ending. */
export function packsIn(store: Repository): string[] {
  return namesIn(packFolder(store))
    .filter((name) => /^pack-[0-9a-f]+\.pack$/.test(name))
    .map((name) => join(packFolder(store), name.slice(0, -".pack".length)));
}

function hasIndex(pack: string): boolean {
  return existsSync(`${pack}.idx`);
}

export function storeSize(store: Repository): { count: number; bytes: number } {
  const sizes = packsIn(store).map((pack) => quickStatOf(`${pack}.pack`)?.size ?? 0);
  return { count: sizes.length, bytes: sizes.reduce((sum, size) => sum + size, 0) };
}

/** Packs that git does not read, as after damage. None that are on their way in. */
export function packsWithoutIndex(store: Repository): string[] {
  const isArriving = liveQuarantines(store).length > 0;
  return isArriving ? [] : packsIn(store).filter((pack) => !hasIndex(pack));
}

/** Returns the names of packs whose objects are in another one now. Never fails because of others. */
export async function mergePacks(store: Repository): Promise<readonly string[]> {
  if (packsIn(store).length < MAX_PACKS) return [];
  return (await withPackLock(store, (quarantine) => mergeSmallest(store, quarantine))) ?? [];
}

/** Undefined: another process has it. */
export async function withPackLock<Result>(
  store: Repository,
  work: (quarantine: Quarantine) => Promise<Result>,
): Promise<Result | undefined> {
  const lock = takeLockNow(join(store.sharedDir, "packs.lock"), "packing", 60 * A_MINUTE);
  if (lock === undefined) return undefined;
  const quarantine = new Quarantine(store);
  try {
    return await work(quarantine);
  } finally {
    quarantine.discard();
    lock.release();
  }
}

async function mergeSmallest(store: Repository, quarantine: Quarantine): Promise<string[]> {
  const chosen = packsIn(store)
    .filter(hasIndex)
    .map((pack) => ({ pack, size: quickStatOf(`${pack}.pack`)?.size ?? 0 }))
    .toSorted((left, right) => left.size - right.size)
    .slice(0, MERGED_AT_ONCE)
    .map(({ pack }) => pack);
  const names = chosen.map((pack) => pack.slice(packFolder(store).length + 1));
  const input = names.map((name) => `${name}.pack\n`).join("");
  const merged = await pack(store, quarantine, ["--stdin-packs"], input);
  if (merged === undefined) return [];
  const old = chosen.filter((path) => path !== merged);
  for (const path of old) removePack(path);
  return old.map((path) => path.slice(packFolder(store).length + "/pack-".length));
}

let packed = 0;

/** The path of the new pack, in its place and read through; undefined: git could not write it. */
async function pack(
  store: Repository,
  quarantine: Quarantine,
  how: readonly string[],
  input: string,
): Promise<string | undefined> {
  const base = quarantine.path(`packed${packed++}`);
  const { exitCode, stdout } = await runGit(store, [...PACKING, ...how, base], {
    input,
    accept: [0, 128],
    env: preparing(store, quarantine.path(`objects${packed}`)),
  });
  const hash = stdout.toString("latin1").trim();
  if (exitCode !== 0 || hash === "") return undefined;
  const verify = [...IN_PIECES, "index-pack", "--verify", `${base}-${hash}.pack`];
  if ((await runGit(store, verify, { accept: [0, 1, 128] })).exitCode !== 0) return undefined;
  const target = join(packFolder(store), `pack-${hash}`);
  for (const ending of ["pack", "idx"]) {
    chmodSync(`${base}-${hash}.${ending}`, 0o400);
    renameSync(`${base}-${hash}.${ending}`, `${target}.${ending}`);
  }
  syncFolder(packFolder(store));
  return target;
}

/** The index first: git does not use a pack without one. */
function removePack(path: string): void {
  for (const ending of ["idx", "rev", "pack"]) rmSync(`${path}.${ending}`, { force: true });
}

/** Removes every object that no ref of the store needs. False: another process was at work; the next cleanup does it. */
export async function pruneStore(store: Repository): Promise<boolean> {
  const isDone = await withPackLock(store, (quarantine) => prune(store, quarantine));
  return isDone === true;
}

async function prune(store: Repository, quarantine: Quarantine): Promise<boolean> {
  for (const path of packsWithoutIndex(store)) {
    await runGit(store, [...IN_PIECES, "index-pack", `${path}.pack`], { accept: [0, 1, 128] });
  }
  const old = { packs: packsIn(store), loose: looseIn(store) };
  if (!(await forgetUnreferenced(store))) return false;
  const made: string[] = [];
  let known = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const isAlone = liveQuarantines(store, quarantine).length === 0;
    const tips = new Set((await refValues(store)).values());
    const added = [...tips].filter((tip) => !known.has(tip));
    if (added.length === 0 && isAlone) {
      for (const path of old.packs) if (!made.includes(path)) removePack(path);
      for (const path of old.loose) rmSync(path, { force: true });
      return true;
    }
    if (added.length > 0) {
      const path = await packTips(store, quarantine, added, known);
      if (path === undefined) break;
      made.push(path);
    }
    known = tips;
  }
  for (const path of made) if (!old.packs.includes(path)) removePack(path);
  return false;
}

/** Files of single objects. */
function looseIn({ commonDir }: Repository): string[] {
  const objects = join(commonDir, "objects");
  return namesIn(objects)
    .filter((name) => /^[0-9a-f]{2}$/.test(name))
    .flatMap((name) => namesIn(join(objects, name)).map((rest) => join(objects, name, rest)));
}

/** A commit that was protected for a checkpoint that is gone has to be protected anew. False: git cannot say which. */
async function forgetUnreferenced(store: Repository): Promise<boolean> {
  const lock = await lockBases(store);
  try {
    const bases = readBases(store);
    const tips = [...(await refValues(store)).values()];
    const args = ["rev-list", "--no-walk", "--parents", "--ignore-missing", "--stdin"];
    const input = tips.map((tip) => `${tip}\n`).join("");
    const { exitCode, stdout } = await runGit(store, args, { input, accept: [0, 128] });
    if (exitCode !== 0) return false;
    const parents = new Set(stdout.toString("latin1").split(/\s+/));
    writeBases(store, { ...bases, stored: bases.stored.filter((commit) => parents.has(commit)) });
    return true;
  } finally {
    lock.release();
  }
}

/**
 * What these refs need and the others and the project do not have. Where something is damaged, all that is whole: one damaged checkpoint is
 * no reason to keep what the others do not need. Undefined: git could not write it, so nothing may be removed.
 */
async function packTips(
  store: Repository,
  quarantine: Quarantine,
  tips: readonly string[],
  known: ReadonlySet<string>,
): Promise<string | undefined> {
  const without = [...Object.values(readBases(store).borrowed), ...known];
  const revisions = [...tips, ...without.map((oid) => `^${oid}`)].map((line) => `${line}\n`);
  const all = await pack(store, quarantine, ["--revs"], revisions.join(""));
  if (all !== undefined) return all;
  const alone = withoutBorrowing(store, quarantine.path(`alone${packed}`));
  const spool = new PackSpool(() => quarantine.path(`whole${packed}.pack`), store.hash);
  const reader = new ObjectReader(alone);
  try {
    for (const [oid, type] of await wholeObjects(reader, store.hash, tips)) {
      if (type === "blob") await spoolBlob(reader, spool, oid);
      else spool.add(oid, type, await reader.readChecked(oid, type));
    }
    const hash = await storePack(store, spool, quarantine, "safe");
    return join(packFolder(store), `pack-${hash}`);
  } finally {
    reader.close();
    spool.close();
  }
}

/** Every object that these commits lead to and that can be read. */
export async function wholeObjects(
  reader: ObjectReader,
  hash: Repository["hash"],
  tips: readonly string[],
): Promise<Map<string, ObjectType>> {
  const found = new Map<string, ObjectType>();
  const waiting = tips.map((oid): [string, ObjectType] => [oid, "commit"]);
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const [oid, type] = next;
    if (found.has(oid) || (await stateOf(reader, oid, type)) !== "whole") continue;
    found.set(oid, type);
    if (type === "blob") continue;
    const content = await reader.readChecked(oid, type);
    waiting.push(...(type === "tree" ? entriesIn(content, hash) : namedBy(content)));
  }
  return found;
}

function entriesIn(tree: Buffer, hash: Repository["hash"]): [string, ObjectType][] {
  return decodeTree(tree, hash).flatMap(({ mode, oid }): [string, ObjectType][] =>
    mode === "160000" ? [] : [[oid, mode === "040000" ? "tree" : "blob"]],
  );
}

function namedBy(commit: Buffer): [string, ObjectType][] {
  const parents = parentsOf(commit).map((parent): [string, ObjectType] => [parent, "commit"]);
  return [[treeOfCommit(commit) ?? "", "tree"], ...parents];
}
