/**
 * Files that a process may write to without any call: through a shared memory map. The kernel stamps such a file when a page of it first
 * becomes dirty, and not again until that page is on the disk.
 *
 * It reads the maps of every process of this user that it may (10 to 90 ms with 150 processes), so it is for rollbacks, not for every
 * checkpoint. Processes in other mount namespaces may have other names for the same files; theirs are not found.
 */
import { readFileSync, realpathSync } from "node:fs";
import type { BytePath } from "../../domain/byte-path.ts";
import { rootFolder } from "./byte-names.ts";
import { quickStatOf } from "./file-stat.ts";
import { namesIn } from "./names-in.ts";

/** Larger ones are read again only when their time stamps say so. */
const MAX_BYTES = 8 * 1024 * 1024;

/** Address, permissions (`s`: shared), offset, device, inode, path. */
const WRITABLE = /^\S+ .w.s \S+ \S+ \d+ +(\/.*)$/gm;

/** Paths in this folder. Empty where nothing is known. */
export function mappedForWriting(folder: string): ReadonlySet<BytePath> {
  const root = `${rootFolder(realpathSync(folder))}/`;
  const found = new Set<BytePath>();
  for (const pid of namesIn("/proc")) {
    if (!/^\d+$/.test(pid)) continue;
    for (const path of pathsIn(mapsOf(pid))) {
      if (path.startsWith(root)) found.add(path.slice(root.length) as BytePath);
    }
  }
  return new Set([...found].filter((path) => isSmall(Buffer.from(root + path, "latin1"))));
}

/** A newline in a name is written as `\012`. A file that has no name any more does not count. */
export function pathsIn(maps: string): string[] {
  return [...maps.matchAll(WRITABLE)].flatMap(([, path = ""]) =>
    path.endsWith(" (deleted)") ? [] : [path.replaceAll("\\012", "\n")],
  );
}

function mapsOf(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/maps`, "latin1");
  } catch {
    return "";
  }
}

function isSmall(at: Buffer): boolean {
  return (quickStatOf(at)?.size ?? Number.POSITIVE_INFINITY) <= MAX_BYTES;
}
