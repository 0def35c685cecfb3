/**
 * Finds what is in the project's folders and not in the index: files, links, special files, empty folders.
 *
 * Folders whose time stamp is that of the last look have the same names in them, so they are not read again; that
 * halves the time of a checkpoint in a large repository.
 */
import { readdirSync, type BigIntStats, type Dirent } from "node:fs";
import { joinPath, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { isDenied, isMissing } from "./errors.ts";
import { isSettled, kindOf, permissions, statKey, statOf, type FileKind } from "./file-stat.ts";
import { onDisk, type RootFolder } from "./byte-names.ts";

/** Names in one folder that the index does not know. */
export type Strays = readonly (readonly [name: string, kind: FileKind])[];

export interface FolderCache {
  get(folder: BytePath): { readonly key: string; readonly strays: Strays } | undefined;
}

export interface TrackedNames {
  /** Every folder that has tracked files below it, the root first, parents before children. */
  readonly folders: readonly BytePath[];
  /** The tracked names directly inside a folder. */
  children(folder: BytePath): ReadonlyMap<string, "file" | "folder" | "submodule">;
}

export interface WalkResult {
  readonly strays: { readonly path: BytePath; readonly kind: FileKind }[];
  readonly unreadable: BytePath[];
  /** To remember for the next walk. */
  readonly seen: Map<BytePath, { key: string; strays: Strays }>;
}

/** Looks into every tracked folder; folders that are not tracked are named, not entered. */
export function walkTracked(
  root: RootFolder,
  tracked: TrackedNames,
  cache: FolderCache,
): WalkResult {
  const result: WalkResult = { strays: [], unreadable: [], seen: new Map() };
  const real = new Set<BytePath>();
  const nowMs = Date.now();
  for (const folder of tracked.folders) {
    const slash = folder.lastIndexOf("/");
    const parent = (slash < 0 ? "" : folder.slice(0, slash)) as BytePath;
    if (folder !== ROOT && !real.has(parent)) continue;
    const stat = statOf(onDisk(root, folder));
    if (stat === undefined || !stat.isDirectory()) continue;
    real.add(folder);
    const strays = straysIn(root, folder, stat, tracked, cache, result);
    if (isSettled(stat, nowMs)) result.seen.set(folder, { key: statKey(stat), strays });
    for (const [name, kind] of strays) result.strays.push({ path: joinPath(folder, name), kind });
  }
  return result;
}

function straysIn(
  root: RootFolder,
  folder: BytePath,
  stat: BigIntStats,
  tracked: TrackedNames,
  cache: FolderCache,
  result: WalkResult,
): Strays {
  const known = cache.get(folder);
  if (known !== undefined && known.key === statKey(stat)) return known.strays;
  const names = readFolder(root, folder);
  if (names === undefined) {
    result.unreadable.push(folder);
    return [];
  }
  const own = tracked.children(folder);
  return names.flatMap((entry): (readonly [string, FileKind])[] => {
    if (entry.name === ".git") return [];
    const kind = direntKind(entry);
    const expected = own.get(entry.name);
    if (expected === "submodule" && kind === "folder") return [];
    if (expected === "folder" && kind === "folder") return [];
    // A fifo in the place of a tracked file is reported by the comparison with the index.
    if (expected === "file" && kind !== "folder") return [];
    return [[entry.name, kind]];
  });
}

export interface Inside {
  readonly files: { path: BytePath; kind: FileKind }[];
  readonly folders: BytePath[];
  readonly isEmpty: boolean;
  readonly isRepository: boolean;
}

/** One level of a folder that is not tracked. Undefined when it cannot be read. */
export function lookInside(root: RootFolder, folder: BytePath): Inside | undefined {
  const names = readFolder(root, folder);
  if (names === undefined) return undefined;
  const inside: Inside = {
    files: [],
    folders: [],
    isEmpty: names.length === 0,
    isRepository: names.some((entry) => entry.name === ".git"),
  };
  for (const entry of names) {
    const path = joinPath(folder, entry.name);
    const kind = direntKind(entry);
    if (kind === "folder") inside.folders.push(path);
    else inside.files.push({ path, kind });
  }
  return inside;
}

/** The mode of a folder that exists and has nothing in it. */
export function emptyFolderMode(root: RootFolder, folder: BytePath): number | undefined {
  const stat = statOf(onDisk(root, folder));
  if (stat === undefined || kindOf(stat) !== "folder") return undefined;
  return readFolder(root, folder)?.length === 0 ? permissions(stat) : undefined;
}

function readFolder(root: RootFolder, folder: BytePath): Dirent[] | undefined {
  try {
    return readdirSync(onDisk(root, folder), { encoding: "latin1", withFileTypes: true });
  } catch (error) {
    if (isDenied(error)) return undefined;
    if (isMissing(error)) return [];
    throw error;
  }
}

function direntKind(entry: Dirent): FileKind {
  if (entry.isFile()) return "file";
  if (entry.isSymbolicLink()) return "link";
  return entry.isDirectory() ? "folder" : "special";
}
