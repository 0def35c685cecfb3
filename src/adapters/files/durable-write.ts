/** Small files that are whole or not there, also after a power cut. */
import { closeSync, fsync, fsyncSync, openSync, renameSync, rmSync, writeSync } from "node:fs";
import { createHash } from "node:crypto";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { promisify } from "node:util";
import { makeFolders } from "./make-folders.ts";
import { openOwn } from "./owner-and-mode.ts";
import { FIRST_NAMESPACE, ownNamespace } from "./process-table.ts";

let counter = 0;

/** Tells machines, containers and sandboxes apart, which may share a folder and have the same process ids. */
export function hostTag(): string {
  return (tag ??= createHash("sha256").update(place()).digest("hex").slice(0, 6));
}

let tag: string | undefined;

function place(): string {
  const namespace = ownNamespace() ?? FIRST_NAMESPACE;
  return namespace === FIRST_NAMESPACE ? hostname() : `${hostname()} ${namespace}`;
}

export function uniqueName(): string {
  counter += 1;
  return `${process.pid}-${hostTag()}${Date.now().toString(36)}-${counter}`;
}

/** Writes beside the file, then renames over it. With `sync` it is on the disk when this returns. */
export function writeDurably(path: string, content: string | Buffer, sync: boolean): void {
  const temporary = `${path}.tmp-${uniqueName()}`;
  makeFolders(dirname(path), 0o700);
  try {
    writeNew(temporary, content, sync);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  if (sync) syncFolder(dirname(path));
}

/** A file of ours that must not be there yet. */
export function writeNew(path: string, content: string | Buffer, sync = false): void {
  const fd = openOwn(path);
  try {
    writeAll(fd, typeof content === "string" ? Buffer.from(content) : content);
    if (sync) fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function writeAll(fd: number, content: Buffer, position?: number): void {
  for (let written = 0; written < content.length;) {
    const at = position === undefined ? null : position + written;
    written += writeSync(fd, content, written, content.length - written, at);
  }
}

/** A rename or a new name is on the disk only after its folder is. */
export function syncFolder(path: string | Buffer): void {
  const fd = openSync(path, "r");
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}

export function syncFile(path: string | Buffer): void {
  syncFolder(path);
}

/** Written back together, many files take hardly longer than one. */
export const SYNCED_AT_ONCE = 32;

export async function syncFiles(paths: Iterable<string | Buffer>): Promise<void> {
  let open: number[] = [];
  const syncOpen = async (): Promise<void> => {
    const fds = open;
    open = [];
    const ended = await Promise.allSettled(fds.map((fd) => promisify(fsync)(fd)));
    for (const fd of fds) closeSync(fd);
    for (const end of ended) if (end.status === "rejected") throw end.reason;
  };
  try {
    for (const path of paths) {
      open.push(openSync(path, "r"));
      if (open.length === SYNCED_AT_ONCE) await syncOpen();
    }
    await syncOpen();
  } finally {
    for (const fd of open) closeSync(fd);
  }
}
