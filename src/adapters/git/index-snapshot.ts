/** One consistent reading of the index file. */
import { createHash } from "node:crypto";
import {
  closeSync,
  constants,
  copyFileSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  type BigIntStats,
} from "node:fs";
import { join } from "node:path";
import { scratchFolder } from "../files/scratch-folder.ts";
import { isMissing } from "../files/errors.ts";
import { notAFile } from "../files/regular-file.ts";
import { uniqueName } from "../files/durable-write.ts";
import { IndexFile } from "./index-file.ts";
import type { HashName } from "./object-hash.ts";
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
  const { hash } = repository;
  const read = withIndexFile(indexPath(repository), (fd, stat) => {
    const bytes = readFrom(fd, 0, Number(stat.size));
    return { bytes, mtimeNs: stat.mtimeNs, identity: identityOf(stat, checksumIn(bytes, hash)) };
  });
  if (read === undefined) return { index: undefined, mtimeNs: 0n, identity: "none" };
  let index = new IndexFile(read.bytes, hash);
  if (index.isSplit) index = await joinSplitIndex(repository);
  return { index, mtimeNs: read.mtimeNs, identity: read.identity };
}

export function indexIdentity(repository: Repository): string {
  const { hash } = repository;
  const identity = withIndexFile(indexPath(repository), (fd, stat) => {
    const size = Number(stat.size);
    const end = readFrom(fd, Math.max(0, size - OID_BYTES[hash]), size);
    const isSummed = end.some((byte) => byte !== 0);
    return identityOf(stat, checksumIn(isSummed ? end : readFrom(fd, 0, size), hash));
  });
  return identity ?? "none";
}

const OID_BYTES: Readonly<Record<HashName, number>> = { sha1: 20, sha256: 32 };

/**
 * Git takes the inode of the last index but one for the next, so where time stamps are whole seconds three indexes of one second
 * differ in nothing but their content.
 */
function identityOf({ ino, size, mtimeNs, ctimeNs }: BigIntStats, checksum: string): string {
  return [ino, size, mtimeNs, ctimeNs, checksum].join(":");
}

/** The one that git writes at the end. With `index.skipHash` that is zeros, and the bytes are hashed here. */
function checksumIn(bytes: Buffer, hash: HashName): string {
  const own = bytes.subarray(Math.max(0, bytes.length - OID_BYTES[hash]));
  if (own.some((byte) => byte !== 0)) return own.toString("hex");
  return createHash(hash).update(bytes).digest("hex");
}

/** Git replaces the index by renaming a new file over it, so one open file is one consistent state. */
function withIndexFile<T>(path: string, use: (fd: number, stat: BigIntStats) => T): T | undefined {
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
    return use(fd, stat);
  } finally {
    closeSync(fd);
  }
}

function readFrom(fd: number, start: number, end: number): Buffer {
  const bytes = Buffer.allocUnsafe(end - start);
  let filled = 0;
  while (filled < bytes.length) {
    const got = readSync(fd, bytes, filled, bytes.length - filled, start + filled);
    if (got === 0) break;
    filled += got;
  }
  return bytes.subarray(0, filled);
}

/** In a sparse checkout git drops skip-worktree of files that are there all the same, and would write it so. */
export const FLAGS_AS_THEY_ARE = ["-c", "sparse.expectFilesOutsideOfPatterns=true"] as const;

/** A split index keeps most entries in a second file that git may delete; git joins the two in a copy. */
async function joinSplitIndex(repository: Repository): Promise<IndexFile> {
  return withIndexCopy(repository, async (copy) => {
    const args = ["update-index", "--no-split-index", "--force-write-index"];
    await runGit(repository, [...FLAGS_AS_THEY_ARE, ...args], { env: { GIT_INDEX_FILE: copy } });
    return new IndexFile(readFileSync(copy), repository.hash);
  });
}

/** Runs a step with a private copy of the index; what git writes goes to the copy. */
export async function withIndexCopy<T>(
  repository: Repository,
  use: (copy: string) => Promise<T>,
): Promise<T> {
  const copy = join(scratchFolder(join(repository.privateDir, "tmp")), `index-${uniqueName()}`);
  try {
    copyFileSync(indexPath(repository), copy);
    return await use(copy);
  } finally {
    rmSync(copy, { force: true });
    rmSync(`${copy}.lock`, { force: true });
  }
}
