/**
 * Holds the git folder of a guarded command by open files: what is deleted stays readable as long as it is open, with no second copy on the disk and nothing
 * to clean up after a kill.
 */
import {
  chmodSync,
  chownSync,
  closeSync,
  fchmodSync,
  fchownSync,
  fstatSync,
  fsyncSync,
  futimesSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
  renameSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  type Stats,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { syncFolder, uniqueName, writeAll } from "../files/durable-write.ts";
import { errorCode, isMissing } from "../files/errors.ts";
import type { Repository } from "./repository.ts";

/** Git packs loose objects long before there are so many. */
const MAX_FILES = 10_000;
/** Open files that everything else may need. */
const SPARE_FILES = 256;
const PIECE = 1024 * 1024;

export interface BroughtBack {
  /** False: it is not held, or cannot be written. */
  readonly isWhole: boolean;
  /** Where the repository is that had been made in its place. */
  readonly keptAt?: string;
}

export class HeldGitFolder {
  readonly #folder: string;
  readonly #mark: string;
  /** In a linked work tree and a submodule `.git` is a file, and may be all that is deleted. */
  readonly #link: string;
  readonly #folders = new Map<string, Stats>();
  readonly #links = new Map<string, string>();
  readonly #files = new Map<string, number>();
  #isWhole = true;

  /** `mark`: a file of ours in it, which a repository that was made in its place does not have. */
  constructor({ commonDir, workTree, isPlain }: Repository, mark: string) {
    this.#folder = commonDir;
    this.#mark = mark;
    this.#link = join(workTree, ".git");
    try {
      this.#folders.set(workTree, lstatSync(workTree));
      if (isPlain) this.#hold(dirname(commonDir), (name) => name !== basename(commonDir));
      if (lstatSync(this.#link, { throwIfNoEntry: false })?.isFile() === true) {
        this.#open(this.#link);
      }
      // Objects last: those of every ref that was read before are there.
      this.#hold(commonDir, (name) => name !== "objects");
      this.#hold(join(commonDir, "objects"), () => true);
      leaveSpare();
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      this.#isWhole = false;
    }
    if (!this.#isWhole) this.close();
  }

  /** Undefined: it was not deleted. A repository that was made in its place is moved into it. */
  bringBack(): BroughtBack | undefined {
    const isReplaced = this.#isReplaced();
    const isLinkGone = this.#files.has(this.#link) && !isThere(this.#link);
    if (!this.#isWhole) {
      return isThere(join(this.#folder, "HEAD")) && !isLinkGone ? undefined : { isWhole: false };
    }
    if (!isReplaced && !isLinkGone && this.#isThere()) return undefined;
    if (!isReplaced) return { isWhole: this.#putBack() };
    const aside = `${this.#folder}-${uniqueName()}`;
    renameSync(this.#folder, aside);
    if (!this.#putBack()) {
      renameSync(aside, this.#folder);
      return { isWhole: false };
    }
    const keptAt = join(this.#folder, "waymark", `replaced-${uniqueName()}`);
    renameSync(aside, keptAt);
    return { isWhole: true, keptAt };
  }

  /** By one with a folder of objects of its own. */
  #isReplaced(): boolean {
    if (!this.#isWhole || isThere(this.#mark) || !isThere(join(this.#folder, "HEAD"))) return false;
    const objects = join(this.#folder, "objects");
    const before = this.#folders.get(objects);
    const now = lstatSync(objects, { throwIfNoEntry: false });
    return now?.ino !== before?.ino || now?.birthtimeMs !== before?.birthtimeMs;
  }

  #isThere(): boolean {
    const heads = [join(this.#folder, "HEAD"), join(this.#folder, "waymark/store/HEAD")];
    return heads.every((path) => !this.#files.has(path) || isThere(path));
  }

  /** What is missing, and overwrites nothing. False: it cannot be written; then nothing of it is left behind. */
  #putBack(): boolean {
    const head = join(this.#folder, "HEAD");
    const made: string[] = [];
    const make = (path: string, how: () => void): void => {
      if (isThere(path)) return;
      made.push(path);
      how();
    };
    try {
      for (const [path, stat] of this.#folders) make(path, () => makeFolder(path, stat));
      for (const [path, to] of this.#links) make(path, () => symlinkSync(to, path));
      for (const [path, fd] of this.#files) if (path !== head) make(path, () => copyFrom(fd, path));
      // Last: without it git takes the folder for no repository.
      const fd = this.#files.get(head);
      if (fd !== undefined) make(head, () => copyFrom(fd, head));
      syncFolder(this.#folder);
      return true;
    } catch (error) {
      if (errorCode(error) === undefined) throw error;
      for (const path of made.toReversed()) remove(path);
      return false;
    }
  }

  close(): void {
    for (const fd of this.#files.values()) closeSync(fd);
    this.#files.clear();
  }

  #hold(folder: string, isWanted: (name: string) => boolean): void {
    this.#folders.set(folder, lstatSync(folder));
    for (const entry of readdirSync(folder, { withFileTypes: true })) {
      const path = join(folder, entry.name);
      if (!isWanted(entry.name)) continue;
      try {
        if (entry.isDirectory()) this.#hold(path, () => true);
        else if (entry.isSymbolicLink()) this.#links.set(path, readlinkSync(path));
        else if (entry.isFile() && !this.#isLock(path)) this.#open(path);
      } catch (error) {
        // Git tidies up meanwhile.
        if (!isMissing(error)) throw error;
      }
    }
  }

  /** Of a git that is at work, and has ended by the time that it would come back. */
  #isLock(path: string): boolean {
    return path.endsWith(".lock") && !path.includes("/waymark/");
  }

  #open(path: string): void {
    if (this.#files.size < MAX_FILES) this.#files.set(path, openSync(path, "r"));
    else this.#isWhole = false;
  }
}

/** Fails where so many more files cannot be open at a time. */
function leaveSpare(): void {
  const spare: number[] = [];
  try {
    while (spare.length < SPARE_FILES) spare.push(openSync("/dev/null", "r"));
  } finally {
    for (const fd of spare) closeSync(fd);
  }
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

function makeFolder(path: string, { mode, uid, gid }: Stats): void {
  mkdirSync(path);
  chmodSync(path, mode & 0o7777);
  if (process.geteuid?.() === 0) chownSync(path, uid, gid);
}

/** With its times: git trusts its index by the time that it was written. */
function copyFrom(fd: number, path: string): void {
  const { mode, uid, gid, atime, mtime } = fstatSync(fd);
  const to = openSync(path, "wx", mode & 0o7777);
  try {
    const piece = Buffer.alloc(PIECE);
    for (let at = 0; ;) {
      const length = readSync(fd, piece, 0, PIECE, at);
      if (length === 0) break;
      writeAll(to, piece.subarray(0, length));
      at += length;
    }
    fchmodSync(to, mode & 0o7777);
    if (process.geteuid?.() === 0) fchownSync(to, uid, gid);
    futimesSync(to, atime, mtime);
    fsyncSync(to);
  } finally {
    closeSync(to);
  }
}

function remove(path: string): void {
  try {
    if (lstatSync(path).isDirectory()) rmdirSync(path);
    else rmSync(path);
  } catch {
    // It was not made, or another process has put something into it.
  }
}
