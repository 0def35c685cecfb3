/**
 * The folders of the other work trees of a repository: they share its checkpoints, and earlier versions kept copied files in each.
 *
 * What git has written down about them may be old: the folder was deleted and another project is there now, or the whole repository
 * is a copy and the folder belongs to the original. So nothing is deleted in a folder that does not say itself that it is of this
 * repository. For reading every folder counts: after the repository was moved its linked work trees still name the old place, and
 * whoever reads copies knows by the id and the digest of the manifest whether they are the right ones.
 */
import { realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { realOrSame } from "../files/real-path.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

type Places = Pick<Repository, "commonDir" | "workTree">;

/** Those that are of this repository for sure. */
export function otherWorkTrees(places: Places): string[] {
  return recorded(places).flatMap(({ root, gitDir }) => (isWorkTreeOf(root, gitDir) ? [root] : []));
}

/** All that are written down, whatever is there now. */
export function recordedWorkTrees(places: Places): string[] {
  return recorded(places).map(({ root }) => root);
}

interface Recorded {
  readonly root: string;
  readonly gitDir: string;
}

function recorded({ commonDir, workTree }: Places): Recorded[] {
  const linked = namesIn(join(commonDir, "worktrees")).flatMap((name) => {
    const gitDir = join(commonDir, "worktrees", name);
    const place = readIfThere(join(gitDir, "gitdir"));
    // With `worktree.useRelativePaths` it is relative to where it is written.
    return place === undefined ? [] : [{ root: dirname(resolve(gitDir, place.trimEnd())), gitDir }];
  });
  const isBeside = basename(commonDir) === ".git";
  const main = isBeside ? [{ root: dirname(commonDir), gitDir: commonDir }] : [];
  const own = realOrSame(workTree);
  return [...main, ...linked].filter(({ root }) => realOrSame(root) !== own);
}

/** Where that cannot be found out, it is not. */
function isWorkTreeOf(root: string, gitDir: string): boolean {
  try {
    return gitDirOf(root) === realpathSync(gitDir);
  } catch {
    return false;
  }
}

/** What git would find there: a folder, or a file that names one. */
function gitDirOf(root: string): string | undefined {
  const entry = join(root, ".git");
  if (statSync(entry).isDirectory()) return realpathSync(entry);
  const named = /^gitdir: (.+?)[\r\n]*$/s.exec(readRegular(entry, "utf8"))?.[1];
  return named === undefined ? undefined : realpathSync(resolve(root, named));
}

function readIfThere(path: string): string | undefined {
  try {
    return readRegular(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
