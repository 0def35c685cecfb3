/**
 * Checks the objects that a checkpoint relies on and does not write itself: those of the index, and those that the last checkpoint
 * holds. Each must be there, with a length that git can tell.
 *
 * An unchanged repository costs one stat per pack and per loose object. What was found is believed while the packs that it was found
 * in are the same files. Packs are read through once, up to a limit: their checksum covers every byte of every object in them.
 */
import { createHash } from "node:crypto";
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import { join } from "node:path";
import { inflateSync } from "node:zlib";
import { Failure } from "../../../domain/failure.ts";
import type { DiskClock } from "../../files/disk-clock.ts";
import { isDenied, isMissing } from "../../files/errors.ts";
import { quickStatOf, statKey } from "../../files/file-stat.ts";
import { namesIn } from "../../files/names-in.ts";
import type { IndexDifference } from "../index-difference.ts";
import type { IndexFile } from "../index-file.ts";
import { objectFolders } from "../object-folders.ts";
import { hexLength, type HashName, type ObjectType } from "../object-hash.ts";
import { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";

/** A pack, what the presence of its objects depends on, and its stat data when all of it was read ("": it was not). */
export type KnownPack = readonly [name: string, identity: string, read: string];

/** Where the checked objects were found. */
export interface KnownStore {
  readonly packs: readonly KnownPack[];
  readonly loose: readonly (readonly [oid: string, key: string])[];
}

export interface TrustRequest {
  readonly index: IndexFile | undefined;
  /** Between this index and the one that was checked last; undefined: every entry is checked. */
  readonly difference: IndexDifference | undefined;
  readonly held: ReadonlySet<string>;
  readonly known: KnownStore | undefined;
  /** Found missing or damaged by a reading of their content. */
  readonly distrusted: ReadonlySet<string>;
  readonly clock: DiskClock;
}

export interface Trust {
  /** Missing or damaged. */
  readonly bad: ReadonlySet<string>;
  /** Those of them that git reads without an error, with other content. */
  readonly misread: ReadonlySet<string>;
  /** Lengths of the objects that were asked for. */
  readonly sizes: ReadonlyMap<string, number>;
  /** To remember; undefined: something is wrong, and the next capture checks everything. */
  readonly store: KnownStore | undefined;
  /** Objects of a partial clone may be elsewhere. */
  readonly isPartial: boolean;
}

/** Bytes of packs that one capture reads through. Larger packs are read by `waymark validate`. */
const MOST_READ = 32 * 1024 * 1024;
const PIECE = 1024 * 1024;
/** Of larger loose objects the length that they begin with has to do. */
const MOST_INFLATED = 8 * 1024 * 1024;
/** From this many objects on, folders of loose objects are listed instead of asking for each. */
const MANY = 500;

const GITLINK = 0o160000;

export async function checkTrusted(
  repository: Repository,
  reader: ObjectReader,
  request: TrustRequest,
): Promise<Trust> {
  const { known } = request;
  const folders = objectFolders(repository);
  const isPartial = hasPromisor(folders);
  const { packs, areSame, areWhole } = lookAtPacks(folders, request, repository.hash);
  const isKnown = known !== undefined && areSame && areWhole;
  const isNeeded = neededEntries(request.index, isPartial);
  const objects = isKnown ? newObjects(request, isNeeded) : allObjects(request, isNeeded);
  const loose = new Map<string, string>();
  for (const [oid, key] of isKnown ? known.loose : []) {
    if (looseKey(folders, oid) === key) loose.set(oid, key);
    // The file is gone, as after `git gc`, or is not what it was.
    else objects.add(oid);
  }
  const check = new Check(repository, reader, folders);
  await check.lengths(objects, isPartial);
  if (areWhole) for (const [oid, key] of await check.loose(objects)) loose.set(oid, key);
  else await check.contents(objects);
  await check.contents(request.distrusted);
  check.close();
  const bad = new Set([...check.bad, ...request.distrusted]);
  const isSound = areWhole && bad.size === 0;
  return {
    bad,
    misread: check.misread,
    sizes: check.sizes,
    store: isSound ? { packs, loose: [...loose] } : undefined,
    isPartial,
  };
}

/** A few are read, which needs no further process. */
const FEW = 32;

/** Of these objects, those that are missing or damaged. */
export async function badAmong(
  repository: Repository,
  reader: ObjectReader,
  oids: readonly string[],
): Promise<ReadonlySet<string>> {
  const folders = objectFolders(repository);
  const check = new Check(repository, reader, folders);
  const objects = new Set(oids);
  if (objects.size > FEW) {
    await check.lengths(objects, hasPromisor(folders));
    await check.loose(objects);
  } else {
    await check.contents(objects);
  }
  check.close();
  return check.bad;
}

/** Blobs that nobody needed yet are elsewhere. */
export function isPartialClone(repository: Repository): boolean {
  return hasPromisor(objectFolders(repository));
}

function hasPromisor(folders: readonly string[]): boolean {
  return folders.some((folder) =>
    namesIn(join(folder, "pack")).some((name) => name.endsWith(".promisor")),
  );
}

/** After a checkpoint was published: its pack is one of those that the next one relies on, and `gone` are in another. */
export function withPacksNow(
  repository: Repository,
  known: KnownStore | undefined,
  gone: readonly string[],
): KnownStore | undefined {
  if (known === undefined) return undefined;
  const isGone = ([name]: KnownPack): boolean => gone.some((hash) => name.endsWith(`-${hash}`));
  const packs = new Map(known.packs.filter((pack) => !isGone(pack)).map((pack) => [pack[0], pack]));
  for (const { name, identity } of packsIn(objectFolders(repository))) {
    if (!packs.has(name)) packs.set(name, [name, identity, ""]);
  }
  return { ...known, packs: [...packs.values()] };
}

type IsNeeded = (entry: number) => boolean;

/** What is not in the work tree of a partial clone may never have been fetched, which is no damage. */
function neededEntries(index: IndexFile | undefined, isPartial: boolean): IsNeeded {
  return (entry) =>
    index !== undefined &&
    index.mode(entry) !== GITLINK &&
    !index.isIntentToAdd(entry) &&
    !(isPartial && index.skipsWorkTree(entry));
}

/** What has to be checked while everything that was checked before is where it was. */
function newObjects({ index, difference }: TrustRequest, isNeeded: IsNeeded): Set<string> {
  if (index === undefined) return new Set();
  if (difference === undefined) return objectsOf(index, isNeeded);
  const changed = difference.changed.filter(isNeeded).map((entry) => index.oid(entry));
  const objects = new Set(changed);
  if (difference.before === undefined) return objects;
  const before = new Set(difference.before.cachedTrees.oids());
  for (const oid of index.cachedTrees.oids()) if (!before.has(oid)) objects.add(oid);
  return objects;
}

function allObjects({ index, held }: TrustRequest, isNeeded: IsNeeded): Set<string> {
  return new Set([...held, ...(index === undefined ? [] : objectsOf(index, isNeeded))]);
}

function objectsOf(index: IndexFile, isNeeded: IsNeeded): Set<string> {
  const objects = new Set(index.cachedTrees.oids());
  for (let entry = 0; entry < index.length; entry++) {
    if (isNeeded(entry)) objects.add(index.oid(entry));
  }
  return objects;
}

class Check {
  readonly bad = new Set<string>();
  readonly misread = new Set<string>();
  readonly sizes = new Map<string, number>();
  readonly #types = new Map<string, ObjectType>();
  readonly #repository: Repository;
  readonly #reader: ObjectReader;
  readonly #folders: readonly string[];
  #present: ObjectReader | undefined;

  constructor(repository: Repository, reader: ObjectReader, folders: readonly string[]) {
    this.#repository = repository;
    this.#reader = reader;
    this.#folders = folders;
  }

  /** A header that cannot be read, as of an empty file, counts as missing. */
  async lengths(objects: ReadonlySet<string>, isPartial: boolean): Promise<void> {
    if (objects.size === 0) return;
    const format = "--batch-check=%(objectname) %(objecttype) %(objectsize)";
    // Git would end, before 2.45, at the first object that a partial clone has not fetched.
    const [args, input] = isPartial
      ? [["--batch-all-objects", "--unordered"], ""]
      : [["--buffer"], `${[...objects].join("\n")}\n`];
    const { stdout } = await runGit(this.#repository, ["cat-file", format, ...args], {
      input,
      // It ends early at some kinds of damage. What it did not come to is read below.
      accept: [0, 128],
    });
    for (const line of stdout.toString("latin1").split("\n")) {
      const [oid = "", type, size] = line.split(" ");
      if (size === undefined || !objects.has(oid)) continue;
      this.sizes.set(oid, Number(size));
      this.#types.set(oid, type as ObjectType);
    }
    for (const oid of objects) {
      if (this.sizes.has(oid)) continue;
      if (isPartial) this.bad.add(oid);
      else await this.#confirm(oid);
    }
  }

  /** Loose objects are read: each is a file of its own, which a power cut leaves empty or cut short. */
  async loose(objects: ReadonlySet<string>): Promise<Map<string, string>> {
    const found = new Map<string, string>();
    const isListed = objects.size < MANY ? undefined : listLoose(this.#folders);
    for (const oid of objects) {
      if (isListed?.has(oid) === false || this.bad.has(oid)) continue;
      const key = looseKey(this.#folders, oid);
      if (key === undefined) continue;
      const isLarge = (this.sizes.get(oid) ?? 0) > MOST_INFLATED;
      const isRead = isLarge || isWholeLoose(this.#folders, oid, this.#repository.hash);
      if (!isRead) await this.#confirm(oid);
      if (!this.bad.has(oid)) found.set(oid, key);
    }
    return found;
  }

  async contents(objects: ReadonlySet<string>): Promise<void> {
    for (const oid of objects) if (!this.bad.has(oid)) await this.#confirm(oid);
  }

  close(): void {
    if (this.#present !== this.#reader) this.#present?.close();
  }

  /** Git has the last word: it may have another copy. */
  async #confirm(oid: string): Promise<void> {
    this.#present ??= presentReader(this.#repository, this.#reader);
    const state = await stateOf(this.#present, oid, this.#types.get(oid));
    if (state !== "whole") this.bad.add(oid);
    if (state === "misread") this.misread.add(oid);
  }
}

/** A process that has read a pack finds everything in it also after the pack was deleted. */
export function presentReader(repository: Repository, reader: ObjectReader): ObjectReader {
  return reader.seesThePresent() ? reader : new ObjectReader(repository);
}

/** Reads all of it. Without a type, which git could not tell, it may not be large. */
export async function stateOf(
  reader: ObjectReader,
  oid: string,
  type: ObjectType | undefined,
): Promise<"whole" | "unreadable" | "misread"> {
  try {
    const actual = type ?? ((await reader.read(oid))?.type as ObjectType | undefined);
    if (actual === undefined) return "unreadable";
    await reader.readPieces(oid, actual, { begin: () => undefined, take: () => undefined });
    return "whole";
  } catch (error) {
    if (!(error instanceof Failure) || error.code !== "checkpoint_damaged") throw error;
    return error.details["misread"] === true ? "misread" : "unreadable";
  }
}

interface PackLook {
  /** The number of its folder and its name without the ending: the same wherever the project is moved. */
  readonly name: string;
  /** Without the ending. */
  readonly path: string;
  /** Of the index, which says what is in the pack and where. Git touches the pack itself when it meets content that is in there. */
  readonly identity: string;
  readonly content: string;
  readonly size: number;
  readonly changedMs: number;
}

function packsIn(folders: readonly string[]): PackLook[] {
  return folders.flatMap((folder, at) =>
    namesIn(join(folder, "pack"))
      .filter((file) => file.endsWith(".idx"))
      .flatMap((file) => {
        const pack = file.slice(0, -".idx".length);
        const path = join(folder, "pack", pack);
        const [index, stat] = [quickStatOf(`${path}.idx`), quickStatOf(`${path}.pack`)];
        if (index === undefined || stat === undefined) return [];
        return [
          {
            name: `${at}/${pack}`,
            path,
            identity: `${statKey(index)}/${stat.ino}:${stat.size}`,
            content: statKey(stat),
            size: stat.size,
            changedMs: Math.max(stat.mtimeMs, stat.ctimeMs),
          },
        ];
      }),
  );
}

function lookAtPacks(folders: readonly string[], { known, clock }: TrustRequest, hash: HashName) {
  const found = packsIn(folders);
  const before = new Map(known?.packs.map((pack) => [pack[0], pack]));
  let left = MOST_READ;
  let areWhole = true;
  const packs: KnownPack[] = [];
  for (const { name, path, identity, content, size, changedMs } of found.toSorted(
    (one, other) => one.size - other.size,
  )) {
    const last = before.get(name);
    const isRead = last?.[1] === identity && last[2] === content;
    if (!isRead && size <= left) {
      left -= size;
      if (!isWholePack(path, hash)) areWhole = false;
      packs.push([name, identity, clock.isSettled(changedMs) ? content : ""]);
    } else {
      packs.push([name, identity, isRead ? content : ""]);
    }
  }
  const now = new Map(packs.map(([name, identity]) => [name, identity]));
  const areSame = [...before.values()].every(([name, identity]) => now.get(name) === identity);
  return { packs, areSame, areWhole };
}

/** By the checksums at the end of both files. */
function isWholePack(path: string, hash: HashName): boolean {
  return [".pack", ".idx"].every((ending) => endsWithChecksum(`${path}${ending}`, hash));
}

function endsWithChecksum(path: string, hash: HashName): boolean {
  const length = hexLength(hash) / 2;
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch (error) {
    // `git gc` took it meanwhile, or git cannot read it either: whatever is only in there is looked for by name.
    if (isMissing(error) || isDenied(error)) return true;
    throw error;
  }
  try {
    const digest = createHash(hash);
    const piece = Buffer.allocUnsafe(PIECE);
    let tail: Buffer = Buffer.alloc(0);
    for (let got = readSync(fd, piece); got > 0; got = readSync(fd, piece)) {
      const all = Buffer.concat([tail, piece.subarray(0, got)]);
      const end = Math.max(all.length - length, 0);
      digest.update(all.subarray(0, end));
      tail = all.subarray(end);
    }
    return tail.equals(digest.digest());
  } finally {
    closeSync(fd);
  }
}

function loosePath(folder: string, oid: string): string {
  return `${folder}/${oid.slice(0, 2)}/${oid.slice(2)}`;
}

/** Undefined: it is not loose. */
function looseKey(folders: readonly string[], oid: string): string | undefined {
  for (const folder of folders) {
    const stat = quickStatOf(loosePath(folder, oid));
    if (stat !== undefined) return statKey(stat);
  }
  return undefined;
}

function listLoose(folders: readonly string[]): Set<string> {
  const found = new Set<string>();
  for (const folder of folders) {
    for (const start of namesIn(folder).filter((name) => /^[0-9a-f]{2}$/.test(name))) {
      for (const rest of namesIn(join(folder, start))) found.add(`${start}${rest}`);
    }
  }
  return found;
}

function isWholeLoose(folders: readonly string[], oid: string, hash: HashName): boolean {
  const path = folders
    .map((folder) => loosePath(folder, oid))
    .find((name) => quickStatOf(name) !== undefined);
  if (path === undefined) return false;
  try {
    return (
      createHash(hash)
        .update(inflateSync(readFileSync(path)))
        .digest("hex") === oid
    );
  } catch {
    // Whatever is wrong with it: git is asked next.
    return false;
  }
}
