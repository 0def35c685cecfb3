/**
 * Where isolated work trees are. Not in the git folder, unless somebody asks for that: agents take everything below a `.git` for
 * git's own and refuse to write there, or ask before each file. Not in the project either: its tools would find every file twice.
 */
import { readdirSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { IsolationPlace } from "../../../domain/config.ts";
import type { IsolatedTree } from "../../../ports/isolated-work-trees.ts";
import { errorCode } from "../../files/errors.ts";
import { statOf } from "../../files/file-stat.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { isWithoutLinks, realOrSame, whereItLeads } from "../../files/real-path.ts";
import { readRegular } from "../../files/regular-file.ts";
import { userFolder } from "../../files/user-folders.ts";
import type { Repository } from "../repository.ts";

export function isolatedFolder({ sharedDir }: Repository): string {
  return join(sharedDir, "isolated");
}

/** The folder of the tree with this id, which is its last component: git names the linked work tree by that. */
export function treePath(repository: Repository, place: IsolationPlace, id: string): string {
  const cache = place === "cache" ? cacheFolder(repository) : undefined;
  return join(cache ?? isolatedFolder(repository), id);
}

/** Undefined where there is none that can be written to, as in many containers, or where it is in the project itself. */
function cacheFolder({ workTree }: Repository): string | undefined {
  const cache = userFolder("XDG_CACHE_HOME");
  if (cache === undefined || `${whereItLeads(cache)}/`.startsWith(`${workTree}/`)) return undefined;
  const folder = join(cache, "waymark", "work-trees");
  try {
    makeFolders(folder, 0o700);
    return realOrSame(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}

type Placed = Pick<IsolatedTree, "id" | "path">;

/**
 * Whether the folder may be removed. Its record may have come with a copied `.git`, so it must be in one of the two places, and empty or a work tree of
 * this repository. One that is gone has nothing to lose.
 */
export function isOwnTree(repository: Repository, { id, path }: Placed): boolean {
  if (statOf(path) === undefined) return true;
  const places = [isolatedFolder(repository), cacheFolder(repository)];
  const above = dirname(path);
  const isInPlace = places.some(
    (place) => place !== undefined && whereItLeads(place) === whereItLeads(above),
  );
  if (!isInPlace || basename(path) !== id || !isWithoutLinks(above, id)) return false;
  return isEmpty(path) || isWorkTreeOf(repository, path);
}

/** What git knows of the tree, unless that is about another one or behind a link. */
export function knownToGit({ commonDir }: Repository, { id, path }: Placed): string | undefined {
  const name = join("worktrees", id);
  if (!isWithoutLinks(commonDir, name)) return undefined;
  const known = join(commonDir, name);
  const entry = lineOf(join(known, "gitdir"));
  const isOther =
    entry !== undefined && whereItLeads(dirname(resolve(known, entry))) !== whereItLeads(path);
  return isOther ? undefined : known;
}

function isWorkTreeOf({ commonDir }: Repository, path: string): boolean {
  const [, gitDir] = /^gitdir: (.+)$/.exec(lineOf(join(path, ".git")) ?? "") ?? [];
  if (gitDir === undefined) return false;
  return (
    dirname(whereItLeads(resolve(path, gitDir))) === join(whereItLeads(commonDir), "worktrees")
  );
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}

function lineOf(path: string): string | undefined {
  try {
    return readRegular(path, "utf8").trimEnd();
  } catch {
    return undefined;
  }
}
