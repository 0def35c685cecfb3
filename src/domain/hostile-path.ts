/**
 * Names that must never come from outside into a project: they would lead out of it, or into git's own folder, where
 * a file can be a program that git runs.
 */
import type { BytePath } from "./byte-path.ts";
import { isDotGit } from "./stored-name.ts";

/** `foldsCase`: the disk takes `.GIT` for `.git`; elsewhere that is a name like any other. */
export function isHostileName(name: string, foldsCase: boolean): boolean {
  return (
    name === "" ||
    name === "." ||
    name === ".." ||
    name === ".git" ||
    /[/\0]/.test(name) ||
    (foldsCase && isDotGit(name))
  );
}

export function isHostilePath(path: BytePath, foldsCase: boolean): boolean {
  return path.split("/").some((name) => isHostileName(name, foldsCase));
}

/** Git never adds a path with `.git` in any case to an index, whatever the disk. A sparse index has folders, which end in a slash. */
export function isHostileInIndex(path: BytePath): boolean {
  const plain = (path.endsWith("/") ? path.slice(0, -1) : path) as BytePath;
  return /(?:^|\/)\.git(?:\/|$)/i.test(plain) || isHostilePath(plain, false);
}

/** By the rules of `git check-ref-format`. */
const BAD_REF =
  // oxlint-disable-next-line no-control-regex
  /[\u0000-\u0020\u007f~^:?*[\\]|\.\.|@\{|\/\/|(?:^|\/)\.|\.lock(?:\/|$)|[./]$|^-/;

/** Refs that a rollback to a checkpoint may set: branches, and those of an operation in progress. */
export function isRestorableRef(name: string): boolean {
  return /^refs\/(?:heads|bisect|rewritten)\/./.test(name) && !BAD_REF.test(name);
}
