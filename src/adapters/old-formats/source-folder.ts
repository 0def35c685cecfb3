/**
 * The folder of another tool, which may hold anything: read-only, bounded, and never followed out of. Files are opened without
 * following links and without blocking, so that neither a link nor a pipe leads anywhere.
 */
import {
  closeSync,
  constants,
  fstatSync,
  openSync,
  readdirSync,
  readlinkSync,
  readSync,
} from "node:fs";
import { asBytePath, joinPath, ROOT, showPath, type BytePath } from "../../domain/byte-path.ts";
import { humanBytes } from "../../domain/human-bytes.ts";
import type { NotCarriedCode } from "../../domain/old-formats/old-session.ts";
import { readProblem } from "../../domain/system-error.ts";
import { onDisk, rootFolder, type RootFolder } from "../files/byte-names.ts";
import { errorCode } from "../files/errors.ts";
import { kindOf, statOf } from "../files/file-stat.ts";

/** Larger than any state that a tool wrote for itself. */
const MOST_FILE_BYTES = 16 * 1024 * 1024;
/** All that is held in memory at a time. */
const MOST_BYTES = 256 * 1024 * 1024;
const MOST_NAMES = 20_000;

/** Why one piece cannot be read. It is about that piece only. */
export class PieceProblem extends Error {
  readonly code: NotCarriedCode;

  constructor(message: string, code: NotCarriedCode = "unreadable") {
    super(message);
    this.code = code;
  }
}

export interface SourceEntry {
  readonly path: BytePath;
  readonly name: string;
  readonly kind: "file" | "folder" | "link" | "special";
}

export interface SourceFile {
  readonly bytes: Buffer;
  /** ISO. */
  readonly writtenAt: string;
}

export class SourceFolder {
  readonly #root: RootFolder;
  #left = MOST_BYTES;

  /** Links in `root` itself are resolved already. */
  constructor(root: string) {
    this.#root = rootFolder(root);
  }

  /** In the order of their names; undefined when it is no folder. A link is never one. */
  list(folder: BytePath = ROOT): readonly SourceEntry[] | undefined {
    try {
      return this.#list(folder);
    } catch (error) {
      throw error instanceof PieceProblem ? error : new PieceProblem(readProblem(error));
    }
  }

  #list(folder: BytePath): readonly SourceEntry[] | undefined {
    const at = onDisk(this.#root, folder);
    if (statOf(at)?.isDirectory() !== true) return undefined;
    const names = readdirSync(at, { encoding: "latin1" });
    if (names.length > MOST_NAMES) {
      throw new PieceProblem(`it has more than ${MOST_NAMES} files`, "too_large");
    }
    return names.toSorted().flatMap((name) => {
      const path = joinPath(folder, name);
      const stat = statOf(onDisk(this.#root, path));
      return stat === undefined ? [] : [{ path, name, kind: kindOf(stat) }];
    });
  }

  read(path: BytePath): SourceFile {
    const fd = this.#open(path);
    try {
      const stat = fstatSync(fd);
      if (!stat.isFile()) throw new PieceProblem("it is not a regular file");
      if (stat.size > Math.min(MOST_FILE_BYTES, this.#left)) {
        throw new PieceProblem(`it is too large: ${humanBytes(stat.size)}`, "too_large");
      }
      const bytes = readUpTo(fd, stat.size);
      this.#left -= bytes.length;
      return { bytes, writtenAt: stat.mtime.toISOString() };
    } catch (error) {
      throw error instanceof PieceProblem ? error : new PieceProblem(readProblem(error));
    } finally {
      closeSync(fd);
    }
  }

  /** What a link says; undefined: it is none. */
  target(path: BytePath): string | undefined {
    const at = onDisk(this.#root, path);
    return statOf(at)?.isSymbolicLink() === true
      ? readlinkSync(at, { encoding: "latin1" })
      : undefined;
  }

  #open(path: BytePath): number {
    try {
      const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;
      return openSync(onDisk(this.#root, path), flags);
    } catch (error) {
      if (errorCode(error) === "ELOOP") {
        throw new PieceProblem("it is a link, and links are not followed");
      }
      throw new PieceProblem(readProblem(error));
    }
  }
}

/** Whatever is written to it meanwhile. */
function readUpTo(fd: number, size: number): Buffer {
  const bytes = Buffer.alloc(size);
  let at = 0;
  while (at < size) {
    const got = readSync(fd, bytes, at, size - at, at);
    if (got === 0) break;
    at += got;
  }
  return bytes.subarray(0, at);
}

export function shownPath(path: string): string {
  return showPath(asBytePath(path));
}
