/**
 * Where isolated work trees are. Not in the git folder, unless somebody asks for that: agents take everything below a `.git` for
 * git's own and refuse to write there, or ask before each file. Not in the project either: its tools would find every file twice.
 */
import { mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { IsolationPlace } from "../../../domain/config.ts";
import { errorCode } from "../../files/errors.ts";
import { realOrSame } from "../../files/real-path.ts";
import type { Repository } from "../repository.ts";
import { isolatedFolder } from "./tree-records.ts";

/** The folder of the tree with this id, which is its last component: git names the linked work tree by that. */
export function treePath(repository: Repository, place: IsolationPlace, id: string): string {
  const cache = place === "cache" ? cacheFolder() : undefined;
  return join(cache ?? isolatedFolder(repository), id);
}

/** Undefined where there is none that can be written to, as in many containers. */
function cacheFolder(): string | undefined {
  const given = process.env["XDG_CACHE_HOME"] ?? "";
  let folder = isAbsolute(given) ? given : join(homedir(), ".cache");
  try {
    // One by one: the recursive way of Node never ends where a file system has no room for folders, such as /proc.
    makeFolder(folder);
    for (const name of ["waymark", "work-trees"]) makeFolder((folder = join(folder, name)));
    return realOrSame(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

function makeFolder(path: string): void {
  if (isFolder(path)) return;
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have made it in between.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}
