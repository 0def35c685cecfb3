/** Where files are put that nobody needs once this command has ended. */
import { accessSync, constants, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { errorCode } from "./errors.ts";
import { makeFolders } from "./make-folders.ts";

/** Of this process, for all that it cannot write elsewhere. */
let temporary: string | undefined;

/** This folder of ours, made if need be; where it cannot be written, one among the system's temporary files: looking at a project needs no right to change it. */
export function scratchFolder(own: string): string {
  try {
    makeFolders(own, 0o700);
    accessSync(own, constants.W_OK);
    return own;
  } catch (error) {
    if (!["EACCES", "EPERM", "EROFS"].includes(errorCode(error) ?? "")) throw error;
    return (temporary ??= makeTemporary());
  }
}

function makeTemporary(): string {
  const folder = mkdtempSync(join(tmpdir(), "waymark-"));
  process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
