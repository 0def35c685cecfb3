/** Where a plain folder keeps its private repository, and under which names it is there before and after its time. */
import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import { statOf } from "../../files/file-stat.ts";
import { namesIn } from "../../files/names-in.ts";
import { OTHER_OWN_FOLDER, OWN_FOLDER } from "../../files/own-folder-name.ts";
import { timeStamp } from "../../files/time-stamp.ts";

const NAME = "repo.git";
/** Being made, or on its way out. */
export const NEW_PREFIX = `${NAME}.tmp-`;
const EARLIER = /^before-git-[0-9]{8}-[0-9]{6}(?:-\d+)?\.git$/;
/** Says that the folder is Waymark's. */
export const MARKER = "waymark";

const OWN_FOLDERS = [OWN_FOLDER, OTHER_OWN_FOLDER] as const;

/** Waymark's own folder of a plain folder, whether it is there yet or not: `.waymark` if `.checkpoints` is the user's. */
export function plainOwnFolder(folder: string): string {
  const places = OWN_FOLDERS.map((name) => join(folder, name));
  const place = places.find(hasRepository) ?? places.find(isMarked) ?? places.find(isFree);
  return place ?? join(folder, OTHER_OWN_FOLDER);
}

function hasRepository(own: string): boolean {
  return existsSync(join(own, NAME));
}

/** Earlier versions wrote no marker, but an audit log. */
export function isMarked(own: string): boolean {
  return hasMarker(own) || existsSync(join(own, "audit.log"));
}

export function hasMarker(own: string): boolean {
  return namesIn(own).some((name) => name === MARKER || isPrivateRepository(name));
}

/** Of a plain folder, also one that is being made or whose folder has become a git work tree. */
export function isPrivateRepository(name: string): boolean {
  return name === NAME || name.startsWith(NEW_PREFIX) || EARLIER.test(name);
}

function isEarlierName(name: string): boolean {
  return EARLIER.test(name);
}

/** An empty one may have been made by a process that was killed before it wrote the marker. */
export function isFree(own: string): boolean {
  const stat = statOf(own);
  return stat === undefined || (stat.isDirectory() && namesIn(own).length === 0);
}

export function privateGitDir(folder: string): string {
  return join(plainOwnFolder(folder), NAME);
}

export function hasPrivateRepository(folder: string): boolean {
  return OWN_FOLDERS.some((name) => hasRepository(join(folder, name)));
}

/** A git work tree that was a plain folder, and whose checkpoints of that time are still where they were. */
export function hasEarlier(repository: {
  readonly workTree: string;
  readonly gitDir: string;
  readonly isPlain: boolean;
}): boolean {
  const { workTree, gitDir, isPlain } = repository;
  return !isPlain && hasPrivateRepository(workTree) && gitDir !== privateGitDir(workTree);
}

/** A free name for the private repository of a folder that has become a git repository. */
export function earlierPlace(gitDir: string, at: Date): string {
  const place = (end: string): string =>
    join(dirname(gitDir), `before-git-${timeStamp(at)}${end}.git`);
  let free = place("");
  for (let number = 2; existsSync(free); number++) free = place(`-${number}`);
  return free;
}

export function newestEarlier(folder: string): string | undefined {
  const own = plainOwnFolder(folder);
  const newest = namesIn(own).filter(isEarlierName).toSorted().at(-1);
  return newest === undefined ? undefined : join(own, newest);
}
