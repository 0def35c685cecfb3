/**
 * Works on paths below a root without ever following a link on the way.
 *
 * On Linux each folder is opened from its parent with O_NOFOLLOW, and names are used relative to that descriptor
 * (`/proc/self/fd/N/name`): swapping a folder for a link meanwhile leads nowhere. Elsewhere every parent is looked at
 * before each use.
 */
import { closeSync, constants, existsSync, mkdirSync, openSync } from "node:fs";
import { nameOf, parentOf, ROOT, showPath, type BytePath } from "../../domain/byte-path.ts";
import { Failure } from "../../domain/failure.ts";
import { onDisk, type RootFolder } from "./byte-names.ts";
import { errorCode } from "./errors.ts";
import { statOf } from "./file-stat.ts";
import { adjustFolder } from "./owner-and-mode.ts";

/** Descriptors that are held open at a time. */
const MOST_OPEN = 128;
const HAS_PROC = existsSync("/proc/self/fd");
/** Names that mean another folder; no path that git or a checkpoint holds has them. */
const LEADS_AWAY = /(?:^|\/)\.{0,2}(?:\/|$)/;
/** O_PATH, which Node does not name: a folder on the way may be one that may be entered and not listed, such as `/home`. */
const O_PATH = process.platform === "linux" ? 0o10000000 : 0;
const FLAGS = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW | O_PATH;

export class AnchoredFolder {
  readonly #root: RootFolder;
  readonly #folderMode: number | undefined;
  readonly #open = new Map<BytePath, number>();

  /** `folderMode`: what folders get that are made here; not given: by the user's umask. */
  constructor(root: RootFolder, folderMode?: number) {
    this.#root = root;
    this.#folderMode = folderMode;
  }

  /** A name for the path that cannot lead out of the root; undefined when its folder is not there. */
  at(path: BytePath): Buffer | undefined {
    if (LEADS_AWAY.test(path)) return undefined;
    const folder = this.#folder(parentOf(path));
    if (folder === undefined) return undefined;
    return Buffer.concat([folder, Buffer.from(`/${nameOf(path)}`, "latin1")]);
  }

  /** Makes the folders above a path; fails when a file or a link is in the way. */
  makeParents(path: BytePath): void {
    const missing: BytePath[] = [];
    for (let folder = parentOf(path); folder !== ROOT; folder = parentOf(folder)) {
      if (this.#folder(folder) !== undefined) break;
      missing.unshift(folder);
    }
    for (const folder of missing) {
      const target = this.at(folder);
      if (target === undefined) throw inTheWay(folder);
      try {
        mkdirSync(target, this.#folderMode);
        adjustFolder(target);
      } catch (error) {
        if (errorCode(error) !== "EEXIST") throw error;
      }
      if (this.#folder(folder) === undefined) throw inTheWay(folder);
    }
  }

  /** Descriptors of folders that were renamed or removed are of no use any more. */
  forget(): void {
    for (const fd of this.#open.values()) closeSync(fd);
    this.#open.clear();
  }

  #folder(folder: BytePath): Buffer | undefined {
    return HAS_PROC ? this.#descriptor(folder) : this.#checked(folder);
  }

  #descriptor(folder: BytePath): Buffer | undefined {
    let fd = this.#open.get(folder);
    if (fd === undefined) {
      const path = folder === ROOT ? onDisk(this.#root, ROOT) : this.at(folder);
      if (path === undefined) return undefined;
      try {
        fd = openSync(path, FLAGS);
      } catch (error) {
        const code = errorCode(error);
        if (code === "ENOENT" || code === "ENOTDIR" || code === "ELOOP") return undefined;
        throw error;
      }
      if (this.#open.size >= MOST_OPEN) this.forget();
      this.#open.set(folder, fd);
    }
    return Buffer.from(`/proc/self/fd/${fd}`);
  }

  #checked(folder: BytePath): Buffer | undefined {
    for (let above = folder; above !== ROOT; above = parentOf(above)) {
      if (statOf(onDisk(this.#root, above))?.isDirectory() !== true) return undefined;
    }
    return onDisk(this.#root, folder);
  }
}

function inTheWay(folder: BytePath): Failure {
  return new Failure("obstructed", `${showPath(folder)} is in the way: it is not a folder`, {
    hint: "Move it away and run the command again.",
    details: { paths: [showPath(folder)] },
  });
}
