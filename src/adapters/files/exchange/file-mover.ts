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
  rmSync,
  symlinkSync,
  unlinkSync,
} from "node:fs";
import { dirname, join } from "node:path";
import type { BytePath } from "../../../domain/byte-path.ts";
import type { FileState } from "../../../domain/file-state.ts";
import { AnchoredFolder } from "../anchored-folder.ts";
import { rootFolder } from "../byte-names.ts";
import { syncFile, uniqueName } from "../durable-write.ts";
import { errorCode, isDenied, isMissing } from "../errors.ts";
import { kindOf, permissions, statOf } from "../file-stat.ts";
import { adjustFolder } from "../owner-and-mode.ts";
import type { Area } from "./steps.ts";

/** How content is told apart: by git's object ids, or by plain digests. */
export interface ContentIds {
  ofFile(path: Buffer | string): string;
  ofLink(target: Buffer): string;
}

/** What is at a path now. */
export type Presence =
  | { readonly kind: "absent" }
  | { readonly kind: "present"; readonly state: FileState }
  | { readonly kind: "other" };

export class FileMover {
  readonly #areas: ReadonlyMap<Area, AnchoredFolder>;
  readonly #ids: ContentIds;
  readonly #landing: string | undefined;

  /**
   * `folders`: where each area is. `landing`: a private folder on git's disk, which may be another one than that of the project, beside
   * which everything is set aside.
   */
  constructor(folders: Readonly<Partial<Record<Area, string>>>, ids: ContentIds, landing?: string) {
    this.#landing = landing;
    this.#areas = new Map(
      Object.entries(folders).map(([area, folder]) => [
        area as Area,
        new AnchoredFolder(rootFolder(folder)),
      ]),
    );
    this.#ids = ids;
  }

  close(): void {
    for (const folder of this.#areas.values()) folder.forget();
  }

  at(area: Area, path: BytePath): Buffer | undefined {
    return this.#area(area).at(path);
  }

  look(area: Area, path: BytePath): Presence {
    const at = this.at(area, path);
    return at === undefined ? { kind: "absent" } : this.lookAt(at);
  }

  lookAt(at: Buffer | string): Presence {
    return presenceAt(at, this.#ids);
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
      // Without the folder that it goes to, the error says nothing about the file.
      if (isMissing(error) && statOf(dirname(aside)) !== undefined) return false;
      // Git has no business with its files now: its index is locked.
      if (area !== "git" || errorCode(error) !== "EXDEV") throw error;
      return moveAcross(at, aside);
    }
  }

  /** Moves a staged or set-aside file to its path. False when something is there already. */
  place(area: Area, path: BytePath, from: string): boolean {
    const stat = statOf(from);
    if (stat === undefined) throw new Error(`${from} is missing`);
    this.#area(area).makeParents(path);
    const at = this.at(area, path);
    if (at === undefined) return false;
    try {
      if (kindOf(stat) === "link") symlinkSync(readlinkSync(from, { encoding: "buffer" }), at);
      else this.#linkOrCopy(from, at);
    } catch (error) {
      if (errorCode(error) === "EEXIST") return false;
      throw error;
    }
    unlinkSync(from);
    return true;
  }

  /** Of all names that the file has: see `linksOf`. */
  setMode(area: Area, path: BytePath, mode: number): void {
    const at = this.at(area, path);
    // chmod follows links; a link has no mode of its own.
    if (at !== undefined && statOf(at)?.isFile() === true) chmodSync(at, mode);
  }

  /** Its owner may, and root. */
  mayChangeMode(area: Area, path: BytePath): boolean {
    const at = this.at(area, path);
    const stat = at === undefined ? undefined : statOf(at);
    const self = process.geteuid?.();
    return stat === undefined || self === undefined || self === 0 || Number(stat.uid) === self;
  }

  modeOf(area: Area, path: BytePath): number | undefined {
    const at = this.at(area, path);
    const stat = at === undefined ? undefined : statOf(at);
    return stat === undefined ? undefined : permissions(stat);
  }

  /** Undefined: it has one name only. Else which file it is and how many names it has: whatever is done to it is done to all of them. */
  linksOf(
    area: Area,
    path: BytePath,
  ): { readonly file: string; readonly names: number } | undefined {
    const at = this.at(area, path);
    const stat = at === undefined ? undefined : statOf(at);
    if (stat?.isFile() !== true || stat.nlink <= 1n) return undefined;
    return { file: `${stat.dev} ${stat.ino}`, names: Number(stat.nlink) };
  }

  isFolder(area: Area, path: BytePath): boolean {
    const at = this.at(area, path);
    return at !== undefined && statOf(at)?.isDirectory() === true;
  }

  /** False when there is something else. A folder that is there already stays as it is. */
  makeFolder(area: Area, path: BytePath, mode: number): boolean {
    this.#area(area).makeParents(path);
    const at = this.at(area, path);
    if (at === undefined) return false;
    try {
      mkdirSync(at);
      chmodSync(at, mode);
      adjustFolder(at);
      return true;
    } catch (error) {
      if (errorCode(error) !== "EEXIST") throw error;
      return statOf(at)?.isDirectory() === true;
    }
  }

  /** Only an empty folder goes. */
  removeFolder(area: Area, path: BytePath): void {
    const at = this.at(area, path);
    if (at === undefined) return;
    // Its descriptor, and those below it, would keep a removed folder alive.
    this.#area(area).forget();
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

  #linkOrCopy(from: string, to: Buffer): void {
    try {
      linkSync(from, to);
    } catch (error) {
      const code = errorCode(error) ?? "";
      if (code === "EXDEV" && this.#landing !== undefined) {
        return linkByWayOf(this.#landing, from, to);
      }
      if (!NO_LINKS.has(code)) throw error;
      copyFileSync(from, to, constants.COPYFILE_EXCL);
      const stat = statOf(from);
      if (stat !== undefined) chmodSync(to, permissions(stat));
    }
  }

  #area(area: Area): AnchoredFolder {
    const folder = this.#areas.get(area);
    if (folder === undefined) throw new Error(`nothing is known about the area ${area}`);
    return folder;
  }
}

export function presenceAt(at: Buffer | string, ids: ContentIds): Presence {
  const stat = statOf(at);
  if (stat === undefined) return { kind: "absent" };
  try {
    if (kindOf(stat) === "link") {
      const oid = ids.ofLink(readlinkSync(at, { encoding: "buffer" }));
      return { kind: "present", state: { type: "link", oid, mode: 0 } };
    }
    if (kindOf(stat) !== "file") return { kind: "other" };
    return {
      kind: "present",
      state: { type: "file", oid: ids.ofFile(at), mode: permissions(stat) },
    };
  } catch (error) {
    if (isMissing(error)) return { kind: "absent" };
    // Nothing is known about it, so it is nothing that is expected: it stays.
    if (isDenied(error)) return { kind: "other" };
    throw error;
  }
}

/** File systems without hard links. */
const NO_LINKS: ReadonlySet<string> = new Set([
  "EPERM",
  "ENOTSUP",
  "EOPNOTSUPP",
  "EMLINK",
  "ENOSYS",
]);

/** From another disk: whole before it has its name. */
function linkByWayOf(landing: string, from: string, to: Buffer): void {
  mkdirSync(landing, { recursive: true, mode: 0o700 });
  const whole = join(landing, `tmp-${uniqueName()}`);
  const stat = statOf(from);
  try {
    copyWhole(from, whole, stat === undefined ? 0o600 : permissions(stat));
    linkSync(whole, to);
  } finally {
    rmSync(whole, { force: true });
  }
}

/** To another disk: whole before it has its name there, and there before it goes here. It can be done again after a kill. */
function moveAcross(from: Buffer, to: string): boolean {
  const stat = statOf(from);
  if (stat === undefined) return false;
  const whole = join(dirname(to), "..", "across");
  rmSync(whole, { force: true });
  if (kindOf(stat) === "link") symlinkSync(readlinkSync(from, { encoding: "buffer" }), whole);
  else copyWhole(from, whole, permissions(stat));
  renameSync(whole, to);
  unlinkSync(from);
  return true;
}

function copyWhole(from: Buffer | string, to: string, mode: number): void {
  copyFileSync(from, to, constants.COPYFILE_EXCL);
  chmodSync(to, mode);
  syncFile(to);
}
