/**
 * The folder of a restore: `new` has the files that come, `aside` those that were moved away, `later` those that were put into
 * place and taken out again.
 */
import { chmodSync, closeSync, fsyncSync, mkdirSync, openSync, symlinkSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { FileState } from "../../../domain/file-state.ts";
import { writeAll } from "../durable-write.ts";

export function makeStaging(staging: string): void {
  for (const name of ["new", "aside", "later"]) {
    mkdirSync(join(staging, name), { recursive: true, mode: 0o700 });
  }
}

export function writeStaged(path: string, state: FileState, content: Buffer): void {
  if (state.type === "link") {
    symlinkSync(content, path);
    return;
  }
  const fd = openSync(path, "wx", 0o600);
  try {
    writeAll(fd, content);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
  chmodSync(path, state.mode);
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
