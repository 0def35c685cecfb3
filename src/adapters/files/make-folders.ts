/**
 * Makes a folder and those above it that are missing, one by one. `mkdirSync` with `recursive` never returns in Node 20 where a file system takes no
 * folders, such as /proc, so it is not for paths that the environment or a setting names.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { errorCode } from "./errors.ts";
import { adjustFolder } from "./owner-and-mode.ts";

/** Of a repository; only git makes those. Where one is deleted while a command runs, a stub of it would hide that. */
const GIT_FOLDER = /(?:^|\/)(?:\.git|repo\.git)$/;

export function makeFolders(path: string, mode?: number): void {
  if (GIT_FOLDER.test(path) && !isFolder(path)) throw gitIsGone(path);
  try {
    makeFolder(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (errorCode(error) !== "ENOENT" || above === path) throw error;
    makeFolders(above, mode);
    makeFolder(path, mode);
  }
}

function gitIsGone(path: string): Failure {
  return new Failure("not_a_repository", `the git folder ${path} no longer exists`, {
    hint: "It was deleted or moved away while the command ran, and the checkpoints with it. Restore it from where it was moved, a clone or a backup.",
  });
}

function makeFolder(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // It is there already, or another process was first.
    if (!isFolder(path)) throw error;
    return;
  }
  adjustFolder(path);
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
