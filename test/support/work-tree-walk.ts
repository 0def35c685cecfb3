/**
 * Every path below a folder as it is on disk: nothing is followed, nothing special is opened.
 * Without waiting: a small file takes several times as long through promises, and the tests read hundreds of thousands.
 */
import { createHash } from "node:crypto";
import { type BigIntStats, lstatSync, readdirSync, readFileSync, readlinkSync } from "node:fs";
import { joinBytes, toKey, type BytePath } from "./byte-path.ts";

export type PathType = "file" | "folder" | "link" | "fifo" | "socket" | "device";

export interface PathEntry {
  readonly type: PathType;
  /** All twelve bits: permissions, setuid, setgid, sticky. */
  readonly mode: number;
  /** sha256 of a file's bytes, the target of a link; empty for everything else. */
  readonly content: string;
  /** Only folders: nothing at all is in it. */
  readonly empty: boolean;
  /** Tells a file that was left alone from one that was written again with the same bytes. */
  readonly identity: { readonly inode: bigint; readonly mtimeNs: bigint; readonly ctimeNs: bigint };
}

/** Paths in `skip` (keys relative to the root) are left out with everything below them. */
export function walkTree(root: BytePath, skip: (key: string) => boolean): Map<string, PathEntry> {
  const entries = new Map<string, PathEntry>();
  walkFolder(root, "", skip, entries);
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

function walkFolder(
  folder: BytePath,
  prefix: string,
  skip: (key: string) => boolean,
  entries: Map<string, PathEntry>,
): boolean {
  const names = readdirSync(folder, { encoding: "buffer" });
  for (const name of names) {
    const key = prefix === "" ? toKey(name) : `${prefix}/${toKey(name)}`;
    if (skip(key)) continue;
    const path = joinBytes(folder, name);
    const stats = lstatSync(path, { bigint: true });
    const type = typeOf(stats);
    const empty = type === "folder" && walkFolder(path, key, skip, entries);
    entries.set(key, {
      type,
      mode: Number(stats.mode & 0o7777n),
      content: contentOf(path, type),
      empty,
      identity: { inode: stats.ino, mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs },
    });
  }
  return names.length === 0;
}

function typeOf(stats: BigIntStats): PathType {
  if (stats.isFile()) {
    return "file";
  }
  if (stats.isDirectory()) {
    return "folder";
  }
  if (stats.isSymbolicLink()) {
    return "link";
  }
  if (stats.isFIFO()) {
    return "fifo";
  }
  return stats.isSocket() ? "socket" : "device";
}

function contentOf(path: Buffer, type: PathType): string {
  if (type === "file") return createHash("sha256").update(readFileSync(path)).digest("hex");
  return type === "link" ? readlinkSync(path, { encoding: "buffer" }).toString("latin1") : "";
}
