/**
 * The store: a bare repository of ours in `<git common dir>/waymark/store`, which borrows the project's objects. Checkpoints and sessions
 * are refs in it, so the user's git does not see them. The private repository of a plain folder is the project and the store in one.
 */
import { existsSync, symlinkSync, writeFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders } from "../../files/make-folders.ts";
import { namesIn } from "../../files/names-in.ts";
import { objectFolders } from "../object-folders.ts";
import type { Repository } from "../repository.ts";

export function storeFolder({ sharedDir }: Pick<Repository, "sharedDir">): string {
  return join(sharedDir, "store");
}

/** The repository with checkpoints: as long as no command has made a store, that of the project, where earlier versions kept them. */
export function storeOf(project: Repository): Repository {
  const gitDir = storeFolder(project);
  return project.isPlain || !existsSync(gitDir) ? project : storeAt(project, gitDir);
}

export function storeAt(project: Repository, gitDir: string): Repository {
  const { directory, workTree, hash, isPlain, worktreeId } = project;
  const { privateDir, sharedDir, ownFolder, auditFolder } = project;
  return {
    directory,
    workTree,
    hash,
    isPlain,
    worktreeId,
    privateDir,
    sharedDir,
    ownFolder,
    auditFolder,
    gitDir,
    commonDir: gitDir,
    // Also where it borrows nothing: what is staged or was committed just now is only there until a checkpoint has it.
    lender: projectObjects(project),
    get store() {
      return this;
    },
    project,
  };
}

/** What the store borrows from is the project, also where a folder on the way is a link. */
export function lendsProject(store: Repository): boolean {
  const objects = join(store.commonDir, "objects");
  const theirs = statSync(projectObjects(store), { throwIfNoEntry: false });
  return objectFolders({ commonDir: store.commonDir }).some((folder) => {
    // Not normalized: the system goes up from where a link leads to.
    const stat = statSync(folder, { throwIfNoEntry: false });
    return folder !== objects && stat?.ino === theirs?.ino && stat?.dev === theirs?.dev;
  });
}

/** From the folder of the store. */
export const ALTERNATES = join("objects", "info", "alternates");

/**
 * Versions before 0.2 noted each of their packs in a folder. Refs without it came by a `git fetch`: they are somebody else's, and `waymark
 * import` is the way for those.
 */
export function hasOldRefs(project: Repository): boolean {
  return existsSync(oldNotes(project));
}

export function oldNotes({ sharedDir }: Pick<Repository, "sharedDir">): string {
  return join(sharedDir, "packs");
}

export function isStore(
  repository: Pick<Repository, "commonDir" | "sharedDir" | "isPlain">,
): boolean {
  return repository.isPlain || repository.commonDir === storeFolder(repository);
}

/** The objects of the project, which belong to the user. */
export function projectObjects({ sharedDir }: Pick<Repository, "sharedDir">): string {
  return join(dirname(sharedDir), "objects");
}

/** The store as plain git sees it: with what it borrows, and without what the project has beside that. */
export function withoutLender(store: Repository): Repository {
  return { ...store, lender: undefined };
}

/** The store as it would be without the project: a repository of links that borrows nothing. */
export function withoutBorrowing(store: Repository, folder: string): Repository {
  const link = (name: string): void => symlinkSync(join(store.commonDir, name), join(folder, name));
  makeFolders(join(folder, "objects"), 0o700);
  // Git takes a HEAD that is a link for one to a branch.
  writeFileSync(join(folder, "HEAD"), "ref: refs/heads/none\n");
  for (const name of namesIn(store.commonDir)) {
    if (name !== "objects" && name !== "HEAD") link(name);
  }
  for (const name of namesIn(join(store.commonDir, "objects"))) {
    if (name !== "info") link(join("objects", name));
  }
  return { ...withoutLender(store), gitDir: folder, commonDir: folder };
}
