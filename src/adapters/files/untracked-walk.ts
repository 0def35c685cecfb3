/**
 * Finds what is in the project's folders and not in the index: files, links, special files, empty folders.
 *
 * Folders whose time stamp is that of the last look have the same names in them, so they are not read again; that
 * halves the time of a checkpoint in a large repository.
 */
import { lstatSync, readdirSync, type Dirent, type Stats } from "node:fs";
import { joinPath, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { isDenied, isMissing } from "./errors.ts";
import { isSettledMs, kindOf, permissions, statOf, type FileKind } from "./file-stat.ts";
import { onDisk, plainName, type RootFolder } from "./byte-names.ts";

/** Names in one folder that the index does not know. */
export type Strays = readonly (readonly [name: string, kind: FileKind])[];

/** One look into a folder. Times as plain numbers: there are ten thousand of these, and big ones are slow. */
export interface FolderLook {
  readonly mtimeMs: number;
  readonly ctimeMs: number;
  readonly ino: number;
  readonly strays: Strays;
}

export interface FolderCache {
  get(folder: BytePath): FolderLook | undefined;
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
  readonly seen: Map<BytePath, FolderLook>;
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
    const stat = lookAt(root, folder);
    if (stat === undefined || !stat.isDirectory()) continue;
    real.add(folder);
    const known = cache.get(folder);
    const isSame =
      known !== undefined &&
      known.mtimeMs === stat.mtimeMs &&
      known.ctimeMs === stat.ctimeMs &&
      known.ino === stat.ino;
    const strays = isSame ? known.strays : straysIn(root, folder, tracked, result);
    if (isSame) result.seen.set(folder, known);
    else if (isSettledMs(Math.max(stat.mtimeMs, stat.ctimeMs), nowMs)) {
      const { mtimeMs, ctimeMs, ino } = stat;
      result.seen.set(folder, { mtimeMs, ctimeMs, ino, strays });
    }
    for (const [name, kind] of strays) result.strays.push({ path: joinPath(folder, name), kind });
  }
  return result;
}

function lookAt(root: RootFolder, folder: BytePath): Stats | undefined {
  try {
    return lstatSync(plainName(root, folder), { throwIfNoEntry: false });
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

function straysIn(
  root: RootFolder,
  folder: BytePath,
  tracked: TrackedNames,
  result: WalkResult,
): Strays {
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
