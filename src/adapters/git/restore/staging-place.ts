/**
 * Where the staging folder of a rollback is. Its record names the folder from the private folder or from the project: both may be at another
 * place when the rollback is taken back (moved, mounted elsewhere, in a container).
 */
import { isAbsolute, join } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { makeStaging } from "../../files/exchange/staging.ts";
import { disks } from "../../files/disks.ts";
import { statOf } from "../../files/file-stat.ts";
import { OWN_FOLDER, TRANSIENT_FOLDER } from "../../files/own-folder-name.ts";
import { isWithoutLinks } from "../../files/real-path.ts";
import { makeTransientFolder } from "../../files/transient-folder.ts";
import type { Repository } from "../repository.ts";

const IN_PRIVATE = "restore";
const IN_PROJECT = `${TRANSIENT_FOLDER}/restore`;
/** Of rollbacks by earlier versions. */
const EARLIER = `${OWN_FOLDER}/restore`;

type Places = Pick<Repository, "privateDir" | "gitDir" | "workTree">;

/** In the git folder, or in the work tree when that is on another file system (renames need one). */
export function stagingRoots({ privateDir, workTree }: Places): string[] {
  return [join(privateDir, IN_PRIVATE), join(workTree, IN_PROJECT), join(workTree, EARLIER)];
}

/** What the record of a new rollback calls it. */
export function stagingName(repository: Places, rollbackId: string): string {
  const staging = `${isOneDisk(repository) ? IN_PRIVATE : IN_PROJECT}/${rollbackId}`;
  stagingOf(repository, { staging, rollback_id: rollbackId });
  return staging;
}

/** Recovery moves and removes what is in there, so no other folder passes. */
export function isStagingName(staging: string, rollbackId: string): boolean {
  if (isAbsolute(staging)) return staging.endsWith(`/restore/${rollbackId}`);
  return [IN_PRIVATE, IN_PROJECT, EARLIER].some((root) => staging === `${root}/${rollbackId}`);
}

/**
 * Always a folder of this project: a record may have come with a copied `.git`. The absolute path in a record of an earlier version only tells that it
 * is one of the two; in a copy of a project it leads to the folder of the original.
 */
export function stagingOf(
  repository: Places,
  { staging, rollback_id }: { readonly staging: string; readonly rollback_id: string },
): string {
  const { privateDir, workTree } = repository;
  // Also where the staging folder is in the project: the index is set aside there.
  const inPrivate = placeWithoutLinks(privateDir, `${IN_PRIVATE}/${rollback_id}`);
  const earlier = `${EARLIER}/${rollback_id}`;
  const isEarlier =
    isAbsolute(staging) &&
    statOf(inPrivate) === undefined &&
    statOf(join(workTree, earlier)) !== undefined;
  const inProject = isEarlier ? earlier : staging;
  const isInProject = [IN_PROJECT, EARLIER].some((root) => inProject === `${root}/${rollback_id}`);
  return isInProject ? placeWithoutLinks(workTree, inProject) : inPrivate;
}

export function makeStagingFolder({ workTree }: Places, staging: string): void {
  if (staging.startsWith(`${join(workTree, TRANSIENT_FOLDER)}/`)) makeTransientFolder(workTree);
  makeStaging(staging);
}

function placeWithoutLinks(base: string, path: string): string {
  const place = join(base, path);
  if (isWithoutLinks(base, path)) return place;
  throw new Failure(
    "recovery_failed",
    `the path to the files of rollbacks contains a symbolic link: ${place}`,
    {
      hint: "Nothing there was moved or deleted. If you did not create the link, it came with the project: remove it, then run the command again.",
      details: { path: place },
    },
  );
}

function isOneDisk({ gitDir, workTree }: Places): boolean {
  const { of } = disks();
  return of(gitDir) === of(workTree);
}
