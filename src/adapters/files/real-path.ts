/** Paths without links. */
import { readlinkSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";

/** The path without links, or as it is where that cannot be found out. */
export function realOrSame(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** Where a path leads, also when there is nothing (yet): links on the way and at the end are followed. */
export function whereItLeads(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // Nothing is there, or a link to nothing.
  }
  const folder = dirname(path);
  if (folder === path) return path;
  try {
    return resolve(folder, readlinkSync(path));
  } catch {
    return join(whereItLeads(folder), basename(path));
  }
}

/** Whether nothing below the base is a link, up to and with the last name. What is not there is none. */
export function isWithoutLinks(base: string, path: string): boolean {
  return whereItLeads(join(base, path)) === join(whereItLeads(base), path);
}

/** As people write it in the project's root: relative where it is below it. */
export function fromRoot(root: string, path: string): string {
  const below = relative(root, path);
  return below.startsWith("..") ? path : below;
}
