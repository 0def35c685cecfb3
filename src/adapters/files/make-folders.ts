/**
 * Makes a folder and those above it that are missing, one by one. `mkdirSync` with `recursive` never returns in Node 20 where a file system takes no
 * folders, such as /proc, so it is not for paths that the environment or a setting names.
 */
import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { errorCode } from "./errors.ts";

export function makeFolders(path: string, mode?: number): void {
  try {
    makeFolder(path, mode);
  } catch (error) {
    const above = dirname(path);
    if (errorCode(error) !== "ENOENT" || above === path) throw error;
    makeFolders(above, mode);
    makeFolder(path, mode);
  }
}

function makeFolder(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    // It is there already, or another process was first.
    if (!isFolder(path)) throw error;
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}
