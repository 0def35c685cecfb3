/** Every path below a folder as it is on disk: nothing is followed, nothing special is opened. */
import { createHash } from "node:crypto";
import { type BigIntStats } from "node:fs";
import { lstat, readdir, readFile, readlink } from "node:fs/promises";
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
export async function walkTree(
  root: BytePath,
  skip: (key: string) => boolean,
): Promise<Map<string, PathEntry>> {
  const entries = new Map<string, PathEntry>();
  await walkFolder(root, "", skip, entries);
  return new Map([...entries].sort(([a], [b]) => (a < b ? -1 : 1)));
}

async function walkFolder(
  folder: BytePath,
  prefix: string,
  skip: (key: string) => boolean,
  entries: Map<string, PathEntry>,
): Promise<boolean> {
  const names = await readdir(folder, { encoding: "buffer" });
  await Promise.all(
    names.map(async (name) => {
      const key = prefix === "" ? toKey(name) : `${prefix}/${toKey(name)}`;
      if (skip(key)) {
        return;
      }
      const path = joinBytes(folder, name);
      const stats = await lstat(path, { bigint: true });
      const type = typeOf(stats);
      const empty = type === "folder" && (await walkFolder(path, key, skip, entries));
      entries.set(key, {
        type,
        mode: Number(stats.mode & 0o7777n),
        content: await contentOf(path, type),
        empty,
        identity: { inode: stats.ino, mtimeNs: stats.mtimeNs, ctimeNs: stats.ctimeNs },
      });
    }),
  );
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

async function contentOf(path: Buffer, type: PathType): Promise<string> {
  if (type === "file") {
    return createHash("sha256")
      .update(await readFile(path))
      .digest("hex");
  }
  return type === "link" ? (await readlink(path, { encoding: "buffer" })).toString("latin1") : "";
}
