/**
 * The folder of a restore: `new` has the files that come, `aside` those that were moved away, `later` those that were put into
 * place and taken out again.
 */
import { basename, dirname, join } from "node:path";
import { makeFolders } from "../make-folders.ts";

export function makeStaging(staging: string): void {
  for (const name of ["new", "aside", "later"]) {
    makeFolders(join(staging, name), 0o700);
  }
}

/** What the folder is called when the restore is over; its files stay there for a while. */
export function keptFolder(staging: string): string {
  return join(dirname(staging), `kept-${basename(staging)}`);
}

export function asideFile(staging: string, number: number): string {
  return join(staging, "aside", String(number));
}

export function newFile(staging: string, number: number): string {
  return join(staging, "new", String(number));
}

export function laterFile(staging: string, number: number): string {
  return join(staging, "later", String(number));
}
