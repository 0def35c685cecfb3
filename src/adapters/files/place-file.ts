/** Puts a finished file at its final name: whole, or not at all. */
import { constants, copyFileSync, existsSync, linkSync, renameSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { syncFile, syncFolder, uniqueName } from "./durable-write.ts";
import { errorCode } from "./errors.ts";

/** False when a file is there and must not be replaced. `from` is gone afterwards, and synced already. */
export function placeFile(from: string, to: string, overwrite: boolean): boolean {
  try {
    return moveInto(from, to, overwrite);
  } catch (error) {
    if (errorCode(error) !== "EXDEV") throw error;
  }
  // Another file system: copied beside the final name first.
  const beside = `${to}.tmp-${uniqueName()}`;
  try {
    copyFileSync(from, beside, constants.COPYFILE_EXCL);
    syncFile(beside);
    const isPlaced = moveInto(beside, to, overwrite);
    if (isPlaced) rmSync(from, { force: true });
    return isPlaced;
  } finally {
    rmSync(beside, { force: true });
  }
}

function moveInto(from: string, to: string, overwrite: boolean): boolean {
  if (overwrite) renameSync(from, to);
  else if (!linkInto(from, to)) return false;
  syncFolder(dirname(to));
  return true;
}

/** A link fails when the name is taken, which a rename does not. Not every file system has links. */
function linkInto(from: string, to: string): boolean {
  try {
    linkSync(from, to);
  } catch (error) {
    const code = errorCode(error);
    if (code === "EEXIST") return false;
    if (code !== "EPERM" && code !== "ENOTSUP" && code !== "EOPNOTSUPP") throw error;
    if (existsSync(to)) return false;
    renameSync(from, to);
  }
  rmSync(from, { force: true });
  return true;
}
