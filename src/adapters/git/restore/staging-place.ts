/**
 * Where the staging folder of a rollback is. Its record names the folder from the private folder or from the project: both may be at another
 * place when the rollback is taken back (moved, mounted elsewhere, in a container).
 */
import { isAbsolute, join } from "node:path";
import { disks } from "../../files/disks.ts";
import { statOf } from "../../files/file-stat.ts";
import { OWN_FOLDER } from "../../files/own-folder-name.ts";
import type { Repository } from "../repository.ts";

const IN_PRIVATE = "restore";
const IN_PROJECT = `${OWN_FOLDER}/restore`;

type Places = Pick<Repository, "privateDir" | "gitDir" | "workTree">;

/** Beside the git files, or in the project when those are on another file system (renames need one). */
export function stagingRoots(repository: Places): [preferred: string, other: string] {
  const inPrivate = join(repository.privateDir, IN_PRIVATE);
  const inProject = join(repository.workTree, IN_PROJECT);
  return isOneDisk(repository) ? [inPrivate, inProject] : [inProject, inPrivate];
}

/** What the record of a new rollback calls it. */
export function stagingName(repository: Places, rollbackId: string): string {
  return `${isOneDisk(repository) ? IN_PRIVATE : IN_PROJECT}/${rollbackId}`;
}

/** Recovery moves and removes what is in there, so no other folder passes. */
export function isStagingName(staging: string, rollbackId: string): boolean {
  if (isAbsolute(staging)) return staging.endsWith(`/restore/${rollbackId}`);
  return [IN_PRIVATE, IN_PROJECT].some((root) => staging === `${root}/${rollbackId}`);
}

export function stagingOf(
  repository: Places,
  { staging, rollback_id }: { readonly staging: string; readonly rollback_id: string },
): string {
  if (!isAbsolute(staging)) {
    const isInProject = staging.startsWith(`${IN_PROJECT}/`);
    return join(isInProject ? repository.workTree : repository.privateDir, staging);
  }
  // A record of an earlier version. In a copy of a project the path leads to the folder of the original.
  const own = stagingRoots(repository).map((root) => join(root, rollback_id));
  return own.find((path) => statOf(path) !== undefined) ?? staging;
}

function isOneDisk({ gitDir, workTree }: Places): boolean {
  const { of } = disks();
  return of(gitDir) === of(workTree);
}
