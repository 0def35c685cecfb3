/** The folder of Waymark in a work tree whose git folder is on another disk: there while it is needed, and hidden from git. */
import { readFileSync, rmdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { errorCode, isMissing } from "./errors.ts";
import { statOf } from "./file-stat.ts";
import { makeFolders } from "./make-folders.ts";
import { namesIn } from "./names-in.ts";
import { TRANSIENT_FOLDER } from "./own-folder-name.ts";
import { isWithoutLinks } from "./real-path.ts";

const HIDING = ".gitignore";
const EVERYTHING = "*\n";

export function makeTransientFolder(workTree: string): string {
  const folder = join(workTree, TRANSIENT_FOLDER);
  if (!isWithoutLinks(workTree, TRANSIENT_FOLDER)) {
    throw new Failure("obstructed", `${folder} is a symbolic link: no files are written there`, {
      hint: "If you did not create it, it came with the project: remove it, then run the command again.",
    });
  }
  makeFolders(folder, 0o700);
  try {
    writeFileSync(join(folder, HIDING), EVERYTHING, { flag: "wx" });
  } catch (error) {
    if (errorCode(error) !== "EEXIST") throw error;
  }
  return folder;
}

/** Stays while there is anything in it. */
export function removeTransientFolder(workTree: string): void {
  const folder = join(workTree, TRANSIENT_FOLDER);
  // A link leads to what is not ours.
  if (statOf(folder)?.isDirectory() !== true) return;
  removeIfEmpty(join(folder, "restore"));
  const names = namesIn(folder);
  const hiding = join(folder, HIDING);
  if (names.length > 1 || !names.every((name) => name === HIDING)) return;
  if (statOf(hiding)?.isFile() === true && readFileSync(hiding, "latin1") === EVERYTHING)
    rmSync(hiding);
  removeIfEmpty(folder);
}

function removeIfEmpty(folder: string): void {
  try {
    rmdirSync(folder);
  } catch (error) {
    // Another process may use it again by now.
    if (!isMissing(error) && errorCode(error) !== "ENOTEMPTY") throw error;
  }
}
