/**
 * What the last checkpoint learned, so that the next one need not look again. It can be deleted at any time.
 *
 * Objects are taken as stored only while the checkpoint named here still exists: a cache is no root for `git gc`,
 * but a checkpoint's ref is.
 */
import { existsSync, readdirSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import type { BytePath } from "../../domain/byte-path.ts";
import { secretRulesVersion } from "../../domain/secrets/secret-rules.ts";
import { writeDurably } from "../files/durable-write.ts";
import { readRegular } from "../files/regular-file.ts";
import type { FolderMemory, Strays } from "../files/untracked-walk.ts";
import { checkpointRef, localRef } from "./ref-names.ts";
import type { Repository } from "./repository.ts";
import { sha256 } from "./sha256.ts";
import type { KnownStore } from "./capture/trusted-objects.ts";

const VERSION = 12;

export interface CachedFile {
  readonly key: string;
  readonly oid: string;
  /** The rule by which its content is a secret; null: there is none; undefined: nobody has looked. */
  readonly secret?: string | null;
}

/** A checkpoint, with the commits of its two halves. */
export interface Holder {
  readonly id: string;
  readonly commit: string;
  readonly local?: string;
}

/** A ref, and the commit whose objects count as stored while the ref is there. */
export interface HeldRef {
  readonly name: string;
  readonly oid: string;
}

export function refsOf({ id, commit, local }: Holder): HeldRef[] {
  const half = local === undefined ? [] : [{ name: localRef(id), oid: local }];
  return [{ name: checkpointRef(id), oid: commit }, ...half];
}

export interface CaptureCache {
  /** The checkpoint whose two halves hold every object in `held`. */
  readonly checkpoint: Holder | undefined;
  readonly held: ReadonlySet<string>;
  /** Files that were read, by their stat data. */
  readonly files: ReadonlyMap<BytePath, CachedFile>;
  /** Digest of all tracked paths; the folders below are those of this set. */
  readonly paths: string;
  /** The index that had these paths. */
  readonly pathsIdentity: string;
  readonly trackedFolders: readonly BytePath[];
  readonly folders: FolderMemory | undefined;
  /** The trees that were made last. */
  readonly trees: KnownTrees | undefined;
  /** The raw index that was read last; it may be large, and often it did not change. */
  readonly indexRaw: { readonly identity: string; readonly oid: string } | undefined;
  /** The index whose clean entries were examined for modes and conversions. */
  readonly examined: ExaminedIndex | undefined;
  /** Where every object of the examined index, and every one in `held`, was found whole; undefined: nobody knows. */
  readonly store: KnownStore | undefined;
}

/**
 * Trees of a moment. Believed while the checkpoint named in the cache exists, which holds all of their objects, and everything
 * that they are made of is the same, by `key`.
 */
export interface KnownTrees {
  readonly key: string;
  readonly worktree: string;
  readonly index: string;
  readonly conflicts?: string;
  readonly operation?: string;
  /** Trees that an operation in progress names. */
  readonly keep?: string;
  /** Commits to keep alive, HEAD first. */
  readonly parents: readonly string[];
  readonly staged: number;
  /** Objects of these trees that HEAD does not hold. */
  readonly own: readonly string[];
  /** What is made of the index and HEAD alone. */
  readonly base: KnownBase;
  /** Folders of the work tree with changes: believed while `base` is, and the changes in them are the same. */
  readonly folders: readonly KnownFolder[];
}

export interface KnownBase {
  readonly key: string;
  /** Objects of the index's tree that HEAD does not hold. */
  readonly own: readonly string[];
}

/** The digest of all changes in a folder and below it, and its tree; "": nothing is left in it. */
export type KnownFolder = readonly [folder: string, changes: string, tree: string];

export interface ExaminedIndex {
  readonly identity: string;
  readonly attributes: string | undefined;
  /** Modes of clean tracked files that are neither 0644 nor 0755. */
  readonly modes: ReadonlyMap<BytePath, number>;
  /** Clean files whose raw bytes are not those of their index entry. */
  readonly raw: ReadonlyMap<BytePath, string>;
  /** Paths that were dirty then, so that nothing is known about them as clean files. */
  readonly skipped: ReadonlySet<BytePath>;
  /** Name of the file that holds this very index. */
  readonly copy: string;
}

export const EMPTY_CACHE: CaptureCache = {
  checkpoint: undefined,
  held: new Set(),
  files: new Map(),
  paths: "",
  pathsIdentity: "",
  trackedFolders: [],
  folders: undefined,
  trees: undefined,
  indexRaw: undefined,
  examined: undefined,
  store: undefined,
};

interface StoredCache {
  version: number;
  /** Digest of the rules for secrets that the files were searched by. */
  rules: string;
  checkpoint?: Holder;
  held: string[];
  files: [path: string, key: string, oid: string, secret?: string | null][];
  paths: string;
  pathsIdentity: string;
  trackedFolders: string;
  /** The bytes of the folders' times, in base64. */
  times: string;
  strays: [folder: number, strays: Strays][];
  trees?: KnownTrees;
  indexRaw?: { identity: string; oid: string };
  store?: KnownStore;
  examined?: {
    identity: string;
    attributes?: string;
    modes: [string, number][];
    raw: [string, string][];
    skipped: string[];
    copy: string;
  };
}

function cachePath(repository: Repository): string {
  return join(repository.privateDir, "capture-cache.json");
}

/** An unreadable or foreign cache is no cache. */
export function loadCache(repository: Repository): CaptureCache {
  let stored: StoredCache;
  try {
    stored = JSON.parse(readRegular(cachePath(repository), "latin1")) as StoredCache;
    if (stored.version !== VERSION) return EMPTY_CACHE;
    return decode(stored);
  } catch {
    return EMPTY_CACHE;
  }
}

export function examinedPath(repository: Repository, copy: string): string {
  return join(repository.privateDir, "examined", copy);
}

export function saveCache(
  repository: Repository,
  cache: CaptureCache,
  index: Buffer | undefined,
): void {
  saveExamined(repository, cache.examined, index);
  const text = JSON.stringify(encode(cache));
  // Not synced: after a power cut it may be cut short, and then it does not parse.
  writeDurably(cachePath(repository), Buffer.from(text, "latin1"), false);
}

/** The copy of the index goes first: a cache never names one that is not there, or another one. */
function saveExamined(
  repository: Repository,
  examined: ExaminedIndex | undefined,
  index: Buffer | undefined,
): void {
  if (examined === undefined || index === undefined) return;
  const path = examinedPath(repository, examined.copy);
  if (existsSync(path)) return;
  const folder = dirname(path);
  const older = existsSync(folder) ? readdirSync(folder) : [];
  writeDurably(path, index, false);
  for (const name of older) rmSync(join(folder, name), { force: true });
}

function decode(stored: StoredCache): CaptureCache {
  return {
    checkpoint: stored.checkpoint,
    held: new Set(stored.held),
    files: decodeFiles(stored),
    paths: stored.paths,
    pathsIdentity: stored.pathsIdentity,
    trackedFolders: stored.trackedFolders.split("\0") as BytePath[],
    folders: { times: decodeTimes(stored.times), strays: new Map(stored.strays) },
    trees: stored.trees,
    indexRaw: stored.indexRaw,
    store: stored.store,
    examined:
      stored.examined === undefined
        ? undefined
        : {
            identity: stored.examined.identity,
            attributes: stored.examined.attributes,
            modes: new Map(stored.examined.modes as [BytePath, number][]),
            raw: new Map(stored.examined.raw as [BytePath, string][]),
            skipped: new Set(stored.examined.skipped as BytePath[]),
            copy: stored.examined.copy,
          },
  };
}

/** What other rules found says nothing: those files are searched again. */
function decodeFiles({ files, rules }: StoredCache): Map<BytePath, CachedFile> {
  const areSameRules = rules === rulesDigest();
  return new Map(
    files.map(([path, key, oid, secret]) => [
      path as BytePath,
      secret === undefined || !areSameRules ? { key, oid } : { key, oid, secret },
    ]),
  );
}

function rulesDigest(): string {
  return sha256(secretRulesVersion());
}

function decodeTimes(text: string): Float64Array {
  const bytes = Buffer.from(text, "base64");
  const times = new Float64Array(Math.floor(bytes.length / Float64Array.BYTES_PER_ELEMENT));
  Buffer.from(times.buffer).set(bytes.subarray(0, times.byteLength));
  return times;
}

function encodeTimes(times: Float64Array | undefined): string {
  return times === undefined
    ? ""
    : Buffer.from(times.buffer, times.byteOffset, times.byteLength).toString("base64");
}

function encode(cache: CaptureCache): StoredCache {
  const { checkpoint, examined, indexRaw, store, trees } = cache;
  return {
    version: VERSION,
    rules: rulesDigest(),
    ...(checkpoint === undefined ? {} : { checkpoint }),
    ...(indexRaw === undefined ? {} : { indexRaw }),
    ...(trees === undefined ? {} : { trees }),
    ...(store === undefined ? {} : { store }),
    held: [...cache.held],
    files: [...cache.files].map(([path, { key, oid, secret }]) =>
      secret === undefined ? [path, key, oid] : [path, key, oid, secret],
    ),
    paths: cache.paths,
    pathsIdentity: cache.pathsIdentity,
    trackedFolders: cache.trackedFolders.join("\0"),
    times: encodeTimes(cache.folders?.times),
    strays: [...(cache.folders?.strays ?? [])],
    ...(examined === undefined
      ? {}
      : {
          examined: {
            identity: examined.identity,
            ...(examined.attributes === undefined ? {} : { attributes: examined.attributes }),
            modes: [...examined.modes],
            raw: [...examined.raw],
            skipped: [...examined.skipped],
            copy: examined.copy,
          },
        }),
  };
}
