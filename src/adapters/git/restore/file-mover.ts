/**
 * Moves files out of the way and new ones into place, without ever overwriting or unlinking what is there.
 *
 * A file that has to go is renamed into the aside folder, and only there compared with what the safety checkpoint
 * holds: so what is compared is what was taken. A file that comes is linked into place, which fails when somebody
 * else's file is there.
 */
import {
  chmodSync,
  constants,
  copyFileSync,
  linkSync,
  mkdirSync,
  readlinkSync,
  renameSync,
  rmdirSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { join } from "node:path";
import type { BytePath } from "../../../domain/byte-path.ts";
import type { FileState } from "../../../domain/file-state.ts";
import { AnchoredFolder } from "../../files/anchored-folder.ts";
import { rootFolder } from "../../files/byte-names.ts";
import { errorCode, isMissing } from "../../files/errors.ts";
import { kindOf, permissions, statOf } from "../../files/file-stat.ts";
import { hashFile } from "../../files/stable-read.ts";
import { objectId } from "../object-hash.ts";
import type { Repository } from "../repository.ts";
import type { Area } from "./steps.ts";

/** What is at a path now. */
export type Presence =
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly state: FileState }
  | { readonly kind: "other" };

export class FileMover {
  readonly #repository: Repository;
  readonly #areas: Readonly<Record<Area, AnchoredFolder>>;

  constructor(repository: Repository) {
    this.#repository = repository;
    this.#areas = {
      project: new AnchoredFolder(rootFolder(repository.workTree)),
      git: new AnchoredFolder(rootFolder(repository.gitDir)),
    };
  }

  close(): void {
    this.#areas.project.forget();
    this.#areas.git.forget();
  }

  at(area: Area, path: BytePath): Buffer | undefined {
    return this.#areas[area].at(path);
  }

  look(area: Area, path: BytePath): Presence {
    const at = this.at(area, path);
    return at === undefined ? { kind: "absent" } : this.lookAt(at);
  }

  lookAt(at: Buffer | string): Presence {
    const stat = statOf(at);
    if (stat === undefined) return { kind: "absent" };
    try {
      if (kindOf(stat) === "link") {
        const oid = objectId(
          this.#repository.hash,
          "blob",
          readlinkSync(at, { encoding: "buffer" }),
        );
        return { kind: "present", state: { type: "link", oid, mode: 0 } };
      }
      if (kindOf(stat) !== "file") return { kind: "other" };
      const oid = hashFile(at, this.#repository.hash);
      return { kind: "present", state: { type: "file", oid, mode: permissions(stat) } };
    } catch (error) {
      if (isMissing(error)) return { kind: "absent" };
      throw error;
    }
  }

  /** Renames a file or link to `aside`. False when there is none (any more). */
  takeAway(area: Area, path: BytePath, aside: string): boolean {
    const at = this.at(area, path);
    if (at === undefined) return false;
    const stat = statOf(at);
    if (stat === undefined || kindOf(stat) === "folder") return false;
    try {
      renameSync(at, aside);
      return true;
    } catch (error) {
      if (isMissing(error)) return false;
      throw error;
    }
  }

  /** Moves a staged or set-aside file to its path. False when something is there already. */
  place(area: Area, path: BytePath, from: string): boolean {
    this.#areas[area].makeParents(path);
    const at = this.at(area, path);
    if (at === undefined) return false;
    const stat = statOf(from);
    if (stat === undefined) return false;
    try {
      if (kindOf(stat) === "link") symlinkSync(readlinkSync(from, { encoding: "buffer" }), at);
      else linkOrCopy(from, at);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
    unlinkSync(from);
    return true;
  }

  setMode(area: Area, path: BytePath, mode: number): void {
    const at = this.at(area, path);
    // chmod follows links; a link has no mode of its own.
    if (at !== undefined && statOf(at)?.isFile() === true) chmodSync(at, mode);
  }

  modeOf(area: Area, path: BytePath): number | undefined {
    const at = this.at(area, path);
    const stat = at === undefined ? undefined : statOf(at);
    return stat === undefined ? undefined : permissions(stat);
  }

  makeFolder(area: Area, path: BytePath, mode: number): void {
    this.#areas[area].makeParents(path);
    const at = this.at(area, path);
    if (at === undefined) return;
    try {
      mkdirSync(at);
      chmodSync(at, mode);
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
    }
  }

  /** Only an empty folder goes. */
  removeFolder(area: Area, path: BytePath): void {
    const at = this.at(area, path);
    if (at === undefined) return;
    // Its descriptor, and those below it, would keep a removed folder alive.
    this.#areas[area].forget();
    const again = this.at(area, path);
    if (again === undefined) return;
    try {
      rmdirSync(again);
    } catch (error) {
      const code = errorCode(error);
      const stays = ["ENOTEMPTY", "EEXIST", "ENOENT", "ENOTDIR", "EBUSY"];
      if (code === undefined || !stays.includes(code)) throw error;
    }
  }
}

function linkOrCopy(from: string, to: Buffer): void {
  try {
    linkSync(from, to);
  } catch (error) {
    // File systems without hard links.
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"].includes(errorCode(error) ?? "")) {
      throw error;
    }
    copyFileSync(from, to, constants.COPYFILE_EXCL);
    const stat = statOf(from);
    if (stat !== undefined) chmodSync(to, permissions(stat));
  }
}

export function asideFile(staging: string, number: number): string {
  return join(staging, "aside", String(number));
}

export function newFile(staging: string, number: number): string {
  return join(staging, "new", String(number));
}

export function laterFile(staging: string, number: number): string {
  return join(staging, "later", String(number));
}
