/**
 * Exchanges one small file for another without ever overwriting what is there: it is renamed to a name beside it, looked
 * at there, and the new one is linked into place, which fails when somebody else's file has come in between.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  linkSync,
  openSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
} from "node:fs";
import { basename, dirname, join, sep } from "node:path";
import { syncFolder, uniqueName, writeAll } from "../durable-write.ts";
import { errorCode, isMissing } from "../errors.ts";
import { permissions, statOf } from "../file-stat.ts";
import { makeFolders } from "../make-folders.ts";
import { whereItLeads } from "../real-path.ts";

const MARK = ".waymark-";

export interface Exchange {
  readonly path: string;
  /** What has to be there; undefined: nothing. */
  readonly before: Buffer | undefined;
  /** What comes; undefined: nothing. */
  readonly after: Buffer | undefined;
  /** Permissions of what comes. */
  readonly mode: number;
}

/** False when somebody else's content is there: it stays. */
export function exchangeFile({ path, before, after, mode }: Exchange): boolean {
  const fresh = after === undefined ? undefined : stage(path, after, mode);
  try {
    if (before === undefined) return fresh === undefined || linkNew(fresh, path);
    const aside = `${path}${MARK}old-${uniqueName()}`;
    if (!takeAside(path, aside)) return false;
    if (!readFileSync(aside).equals(before) || (fresh !== undefined && !linkNew(fresh, path))) {
      // Put back where nobody is; otherwise what is there is newer, and this one stays beside it.
      if (linkNew(aside, path)) rmSync(aside, { force: true });
      return false;
    }
    rmSync(aside, { force: true });
    return true;
  } finally {
    if (fresh !== undefined) rmSync(fresh, { force: true });
    if (statOf(dirname(path)) !== undefined) syncFolder(dirname(path));
  }
}

/**
 * A kill may have left the old file beside its place. When nothing is there it goes back; when the new one is there and both
 * are known, it can go.
 */
export function settle(path: string, isKnown: (bytes: Buffer) => boolean): void {
  const folder = dirname(path);
  if (statOf(folder)?.isDirectory() !== true) return;
  const prefix = `${basename(path)}${MARK}`;
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(prefix)) continue;
    const left = join(folder, name);
    const isOld = name.startsWith(`${prefix}old-`);
    if (isOld && statOf(path) === undefined) renameSync(left, path);
    else if (!isOld || isKnown(readFileSync(left))) rmSync(left, { force: true });
  }
}

/** Undefined when there is no file; links are not followed. */
export function contentOf(path: string): Buffer | undefined {
  try {
    if (statOf(path)?.isFile() !== true) return undefined;
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW);
    try {
      return readFileSync(fd);
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** True when the folder of a path lies below `root` by its real name: a link on the way may lead elsewhere by now. */
export function staysBelow(root: string, path: string): boolean {
  let folder = dirname(path);
  while (statOf(folder) === undefined && folder !== dirname(folder)) folder = dirname(folder);
  const real = whereItLeads(folder);
  const top = realpathSync(root);
  return real === top || real.startsWith(top.endsWith(sep) ? top : `${top}${sep}`);
}

export function modeOf(path: string): number | undefined {
  const stat = statOf(path);
  return stat?.isFile() === true ? permissions(stat) : undefined;
}

function stage(path: string, content: Buffer, mode: number): string {
  makeFolders(dirname(path));
  const fresh = `${path}${MARK}new-${uniqueName()}`;
  const fd = openSync(fresh, "wx", 0o600);
  try {
    writeAll(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(fresh, mode);
  return fresh;
}

function takeAside(path: string, aside: string): boolean {
  try {
    renameSync(path, aside);
    return true;
  } catch (error) {
    if (isMissing(error)) return false;
    throw error;
  }
}

function linkNew(from: string, to: string): boolean {
  try {
    linkSync(from, to);
    return true;
  } catch (error) {
    if (errorCode(error) === "EEXIST") return false;
    if (!["EPERM", "ENOTSUP", "EOPNOTSUPP", "ENOSYS"].includes(errorCode(error) ?? "")) throw error;
    // No hard links here: the moment between looking and renaming cannot be closed.
    if (statOf(to) !== undefined) return false;
    renameSync(from, to);
    return true;
  }
}
