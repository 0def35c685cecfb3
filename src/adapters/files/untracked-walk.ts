/**
 * Finds what is in the project's folders and not in the index: files, links, special files, empty folders.
 *
 * Folders whose time stamp is that of the last look have the same names in them, so they are not read again; that
 * halves the time of a checkpoint in a large repository.
 */
import { readdirSync, type Dirent, type Stats } from "node:fs";
import { joinPath, parentOf, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { isDenied, isMissing } from "./errors.ts";
import type { DiskClock } from "./disk-clock.ts";
import { lookAt, quickStatOf, type FileKind } from "./file-stat.ts";
import { isPlainText, onDisk, type RootFolder } from "./byte-names.ts";

/** Names in one folder that the index does not know. */
export type Strays = readonly (readonly [name: string, kind: FileKind])[];

/**
 * What the last walk saw, by the position of the folder in the list of tracked folders. Plain numbers in one array:
 * there are ten thousand folders, and an object for each would cost more than looking at it.
 */
export interface FolderMemory {
  /** Modification time, change time and inode of each; zeros where nothing is remembered. */
  readonly times: Float64Array;
  readonly strays: ReadonlyMap<number, Strays>;
}

export const TIMES_PER_FOLDER = 3;

/** PATH_MAX of Linux, without the longest name. */
const LONG_FOLDER = 4096 - 257;

export interface TrackedNames {
  /** Every folder that has tracked files below it, the root first, parents before children. */
  readonly folders: readonly BytePath[];
  /** The tracked names directly inside a folder. */
  children(folder: BytePath): ReadonlyMap<string, "file" | "folder" | "submodule">;
}

export interface WalkResult {
  readonly strays: { readonly path: BytePath; readonly kind: FileKind }[];
  readonly unreadable: BytePath[];
  /** A path in a tracked folder may be longer than the system takes, though not for git, which works with shorter ones. */
  readonly hasLongPaths: boolean;
  /** Tracked folders that are not there, or not folders. */
  readonly gone: ReadonlySet<BytePath>;
  /** To remember for the next walk. */
  readonly memory: FolderMemory;
}

/** Looks into every tracked folder; folders that are not tracked are named, not entered. */
export function walkTracked(
  root: RootFolder,
  tracked: TrackedNames,
  known: FolderMemory | undefined,
  clock: DiskClock,
): WalkResult {
  const found: WalkResult["strays"] = [];
  const unreadable: BytePath[] = [];
  const times = new Float64Array(tracked.folders.length * TIMES_PER_FOLDER);
  const allStrays = new Map<number, Strays>();
  const gone = new Set<BytePath>();
  const denied = new Set<BytePath>();
  let hasLongPaths = false;
  const isPlain = isPlainText(root) && isPlainText(tracked.folders.join(""));
  const { folders } = tracked;
  // By number: an iterator costs as much as looking at the folder.
  for (let position = 0; position < folders.length; position++) {
    const folder = folders[position] ?? ROOT;
    if (gone.size > 0 && gone.has(parentOf(folder)) && folder !== ROOT) {
      gone.add(folder);
      continue;
    }
    if (root.length + folder.length > LONG_FOLDER) hasLongPaths = true;
    let stat: Stats | undefined;
    try {
      stat = quickStatOf(isPlain ? `${root}/${folder}` : onDisk(root, folder));
    } catch (error) {
      if (!isDenied(error)) throw error;
      if (!denied.has(parentOf(folder))) unreadable.push(folder);
      denied.add(folder);
      continue;
    }
    if (stat === undefined || !stat.isDirectory()) {
      gone.add(folder);
      continue;
    }
    const at = position * TIMES_PER_FOLDER;
    const isSame = known !== undefined && isSameLook(known.times, at, stat);
    const strays = isSame
      ? (known.strays.get(position) ?? [])
      : straysIn(root, folder, tracked, unreadable);
    const isWorthKeeping = isSame || clock.isSettled(Math.max(stat.mtimeMs, stat.ctimeMs));
    if (strays === undefined) continue;
    if (isWorthKeeping) {
      times[at] = stat.mtimeMs;
      times[at + 1] = stat.ctimeMs;
      times[at + 2] = stat.ino;
      if (strays.length > 0) allStrays.set(position, strays);
    }
    for (const [name, kind] of strays) found.push({ path: joinPath(folder, name), kind });
  }
  return { strays: found, unreadable, hasLongPaths, gone, memory: { times, strays: allStrays } };
}

function isSameLook(times: Float64Array, at: number, stat: Stats): boolean {
  return times[at] === stat.mtimeMs && times[at + 1] === stat.ctimeMs && times[at + 2] === stat.ino;
}

function straysIn(
  root: RootFolder,
  folder: BytePath,
  tracked: TrackedNames,
  unreadable: BytePath[],
): Strays | undefined {
  const names = readFolder(root, folder);
  if (names === undefined) {
    unreadable.push(folder);
    return undefined;
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
  const look = lookAt(onDisk(root, folder));
  if (look?.kind !== "folder") return undefined;
  return readFolder(root, folder)?.length === 0 ? look.permissions : undefined;
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
