/** One consistent reading of the index file. */
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  rmSync,
  type BigIntStats,
} from "node:fs";
import { join } from "node:path";
import { isMissing } from "../files/errors.ts";
import { notAFile } from "../files/regular-file.ts";
import { statOf } from "../files/file-stat.ts";
import { uniqueName } from "../files/durable-write.ts";
import { IndexFile } from "./index-file.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

export interface IndexSnapshot {
  /** Undefined when the repository has no index yet. */
  readonly index: IndexFile | undefined;
  readonly mtimeNs: bigint;
  /** Tells whether the user's index file is still the one that was read. */
  readonly identity: string;
}

export function indexPath(repository: Repository): string {
  return join(repository.gitDir, "index");
}

export async function readIndex(repository: Repository): Promise<IndexSnapshot> {
  const read = readIndexBytes(indexPath(repository));
  if (read === undefined) return { index: undefined, mtimeNs: 0n, identity: "none" };
  let index = new IndexFile(read.bytes, repository.hash);
  if (index.isSplit) index = await joinSplitIndex(repository);
  return { index, mtimeNs: read.mtimeNs, identity: read.identity };
}

export function indexIdentity(repository: Repository): string {
  const stat = statOf(indexPath(repository));
  return stat === undefined ? "none" : identityOf(stat);
}

/** Without the change time: others may link or chmod the file without changing what it says. */
function identityOf(stat: BigIntStats): string {
  return `${stat.ino}:${stat.size}:${stat.mtimeNs}`;
}

/** Git replaces the index by renaming a new file over it, so one open file is one consistent state. */
function readIndexBytes(
  path: string,
): { bytes: Buffer; mtimeNs: bigint; identity: string } | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  try {
    const stat = fstatSync(fd, { bigint: true });
    if (!stat.isFile()) throw notAFile(path);
    const bytes = Buffer.allocUnsafe(Number(stat.size));
    let filled = 0;
    while (filled < bytes.length) {
      const got = readSync(fd, bytes, filled, bytes.length - filled, filled);
      if (got === 0) break;
      filled += got;
    }
    return {
      bytes: bytes.subarray(0, filled),
      mtimeNs: stat.mtimeNs,
      identity: identityOf(stat),
    };
  } finally {
    closeSync(fd);
  }
}

/** In a sparse checkout git drops skip-worktree of files that are there all the same, and would write it so. */
export const FLAGS_AS_THEY_ARE = ["-c", "sparse.expectFilesOutsideOfPatterns=true"] as const;

/** A split index keeps most entries in a second file that git may delete; git joins the two in a copy. */
async function joinSplitIndex(repository: Repository): Promise<IndexFile> {
  return withIndexCopy(repository, async (copy) => {
    const args = ["update-index", "--no-split-index", "--force-write-index"];
    await runGit(repository, [...FLAGS_AS_THEY_ARE, ...args], { env: { GIT_INDEX_FILE: copy } });
    const joined = readIndexBytes(copy);
    if (joined === undefined) throw new Error("git removed the copy of the index");
    return new IndexFile(joined.bytes, repository.hash);
  });
}

/** Runs a step with a private copy of the index; what git writes goes to the copy. */
export async function withIndexCopy<T>(
  repository: Repository,
  use: (copy: string) => Promise<T>,
): Promise<T> {
  const folder = join(repository.privateDir, "tmp");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, `index-${uniqueName()}`);
  try {
    copyFileSync(indexPath(repository), copy);
    return await use(copy);
  } finally {
    rmSync(copy, { force: true });
    rmSync(`${copy}.lock`, { force: true });
  }
}
