/**
 * The index of before, and the one that a rollback puts in its place, as links: on git's own disk, which may be another one than that of the
 * project, where everything else is set aside.
 */
import { createHash } from "node:crypto";
import {
  constants,
  copyFileSync,
  linkSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
} from "node:fs";
import { basename, join } from "node:path";
import { syncFile } from "../../files/durable-write.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { errorCode, isMissing } from "../../files/errors.ts";
import { statOf } from "../../files/file-stat.ts";
import { IndexFile } from "../index-file.ts";
import { indexPath, readIndex } from "../index-snapshot.ts";
import type { Repository } from "../repository.ts";
import type { Intent } from "./intent.ts";
import { withFilesOnly } from "./new-index.ts";

export class IndexAside {
  readonly before: string;
  /** Tells ours from the user's also when git has written its time stamps anew. */
  readonly placed: string;
  readonly #repository: Repository;
  readonly #folder: string;

  constructor(repository: Repository, { staging }: Pick<Intent, "staging">) {
    this.#repository = repository;
    this.#folder = join(repository.privateDir, "restore", basename(staging));
    this.before = join(this.#folder, "index.before");
    this.placed = join(this.#folder, "index.placed");
  }

  /** The old file itself, not a copy: taking back renames it into place with its time stamp. */
  keep(): void {
    makeFolders(this.#folder, 0o700);
    const index = indexPath(this.#repository);
    if (statOf(index) === undefined) return;
    try {
      linkSync(index, this.before);
    } catch (error) {
      // Linux lets nobody link a file of another user that they may not write.
      if (errorCode(error) !== "EPERM") throw error;
      makeOwn(index, `${this.before}.own`);
      linkSync(index, this.before);
    }
  }

  moveAway(): void {
    makeFolders(this.#folder, 0o700);
    const index = indexPath(this.#repository);
    if (statOf(index) !== undefined) renameSync(index, this.before);
  }

  /** Whether the index of now says what the one says that was put there: `git status` alone writes another file. */
  async isStillOurs(digest: string | null): Promise<boolean> {
    const now = readIfThere(indexPath(this.#repository));
    if (digest === null || now === undefined) return digest === null && now === undefined;
    if (digestOf(now) === digest) return true;
    const ours = readIfThere(this.placed);
    if (ours === undefined || digestOf(ours) !== digest) return false;
    const { index } = await readIndex(this.#repository);
    if (index === undefined) return false;
    const placed = new IndexFile(ours, this.#repository.hash);
    return saySame(
      await withFilesOnly(this.#repository, index),
      await withFilesOnly(this.#repository, placed),
    );
  }

  /** Whether ours was put there, and the index of now is neither that nor the one of before. */
  isElsewhere(): boolean {
    const [now, before] = [statOf(indexPath(this.#repository)), statOf(this.before)];
    return before !== undefined && now?.ino !== before.ino;
  }

  remove(): void {
    for (const path of [this.before, this.placed]) rmSync(path, { force: true });
    try {
      rmdirSync(this.#folder);
    } catch (error) {
      // The rest is set aside there too.
      const code = errorCode(error);
      if (!isMissing(error) && code !== "ENOTEMPTY" && code !== "EEXIST") throw error;
    }
  }
}

/** The same content and time stamp in a file of this user, as after any git command that writes the index. */
function makeOwn(path: string, temporary: string): void {
  copyFileSync(path, temporary, constants.COPYFILE_EXCL);
  const { atimeMs, mtimeMs } = statSync(path);
  // Not a moment later: an index that is too old is only looked at more closely.
  utimesSync(temporary, atimeMs / 1000, Math.floor(mtimeMs) / 1000);
  syncFile(temporary);
  renameSync(temporary, path);
}

export function digestOf(content: Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}

function readIfThere(path: string): Buffer | undefined {
  try {
    return readFileSync(path);
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}

/** The same entries with the same flags, whatever git knows about the files. */
function saySame(one: IndexFile, other: IndexFile): boolean {
  if (one.length !== other.length) return false;
  const entries = Array.from({ length: one.length }, (_, entry) => entry);
  return entries.every(
    (entry) =>
      one.oid(entry) === other.oid(entry) &&
      one.mode(entry) === other.mode(entry) &&
      one.stage(entry) === other.stage(entry) &&
      one.isAssumedValid(entry) === other.isAssumedValid(entry) &&
      one.skipsWorkTree(entry) === other.skipsWorkTree(entry) &&
      one.isIntentToAdd(entry) === other.isIntentToAdd(entry) &&
      one.path(entry) === other.path(entry),
  );
}
