/** Where the parts of a repository are, without asking git. */
import { existsSync, lstatSync, readFileSync } from "node:fs";
import { join, resolve } from "node:path";

export interface GitPlaces {
  /** The git directory of this work tree. */
  readonly own: string;
  /** The one that it shares with others. */
  readonly common: string;
  readonly index: string;
}

/** Undefined: the folder is no work tree of git. */
export function gitPlaces(root: string): GitPlaces | undefined {
  const entry = join(root, ".git");
  const stats = lstatSync(entry, { throwIfNoEntry: false });
  const own = stats?.isFile() === true ? pointedTo(root, entry) : entry;
  if (own === undefined || !existsSync(join(own, "HEAD"))) return undefined;
  const shared = join(own, "commondir");
  const common = existsSync(shared) ? resolve(own, readFileSync(shared, "utf8").trimEnd()) : own;
  return { own, common, index: join(own, "index") };
}

function pointedTo(root: string, file: string): string | undefined {
  const [, path] = /^gitdir: (.*)\n?$/.exec(readFileSync(file, "utf8")) ?? [];
  return path === undefined ? undefined : resolve(root, path);
}
