/** Where a plain folder keeps its private repository, and under which names it is there before and after its time. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../../files/names-in.ts";
import { OWN_FOLDER } from "../../files/own-folder-name.ts";
import { timeStamp } from "../../files/time-stamp.ts";

const NAME = "repo.git";
/** Being made, or on its way out. */
export const NEW_PREFIX = `${NAME}.tmp-`;
const EARLIER = /^before-git-[0-9]{8}-[0-9]{6}(?:-\d+)?\.git$/;

export function privateGitDir(folder: string): string {
  return join(folder, OWN_FOLDER, NAME);
}

export function hasPrivateRepository(folder: string): boolean {
  return existsSync(privateGitDir(folder));
}

/** A git work tree that was a plain folder, and whose checkpoints of that time are still where they were. */
export function hasEarlier(repository: {
  readonly workTree: string;
  readonly gitDir: string;
  readonly isPlain: boolean;
}): boolean {
  const { workTree, gitDir, isPlain } = repository;
  return !isPlain && gitDir !== privateGitDir(workTree) && hasPrivateRepository(workTree);
}

/** True for a file of Waymark's own folder that is a repository with checkpoints which the project's own may not have. */
export function isOtherStore(name: string, isPlain: boolean): boolean {
  return EARLIER.test(name) || (name === NAME && !isPlain);
}

/** A free name for one whose folder has become a git repository. */
export function earlierPlace(folder: string, at: Date): string {
  const place = (end: string): string =>
    join(folder, OWN_FOLDER, `before-git-${timeStamp(at)}${end}.git`);
  let free = place("");
  for (let number = 2; existsSync(free); number++) free = place(`-${number}`);
  return free;
}

export function newestEarlier(folder: string): string | undefined {
  const names = namesIn(join(folder, OWN_FOLDER)).filter((name) => EARLIER.test(name));
  const newest = names.toSorted().at(-1);
  return newest === undefined ? undefined : join(folder, OWN_FOLDER, newest);
}
