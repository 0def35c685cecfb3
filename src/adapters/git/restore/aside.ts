/** Where rollbacks put what they move away, and when that goes. */
import { join } from "node:path";
import { keepFolder, sweepKept } from "../../files/exchange/kept-aside.ts";
import { statOf } from "../../files/file-stat.ts";
import { OWN_FOLDER } from "../../files/own-folder-name.ts";
import { sha256Ids } from "../../files/sha256-ids.ts";
import type { Repository } from "../repository.ts";
import { gitIds } from "./git-ids.ts";
import { IndexAside } from "./index-aside.ts";
import type { Intent } from "./intent.ts";
import { giveUpReserve } from "./reserve.ts";

export function keepAside(repository: Repository, intent: Intent): void {
  const { staging } = intent;
  new IndexAside(repository, intent).remove();
  giveUpReserve(staging);
  keepFolder(staging, intent.steps, "git");
}

/** Returns the files that somebody wrote to after they were moved away; those stay. */
export function sweepAside(repository: Repository): string[] {
  const ids = { git: gitIds(repository.hash), sha256: sha256Ids };
  return sweepKept(stagingRoots(repository), ids);
}

/** Beside the git files, or in the project when those are on another file system (renames need one). */
export function stagingRoots(repository: Repository): [preferred: string, other: string] {
  const inGit = join(repository.privateDir, "restore");
  const inProject = join(repository.workTree, OWN_FOLDER, "restore");
  const sameDisk = statOf(repository.gitDir)?.dev === statOf(repository.workTree)?.dev;
  return sameDisk ? [inGit, inProject] : [inProject, inGit];
}
