/**
 * Git's own lock on the index. While we hold it, no other git command can change the index or move HEAD.
 *
 * The file is made under another name first and linked into place, so that its identity is on record before it can
 * stop anybody: recovery removes that very file and no other.
 */
import { closeSync, fsyncSync, linkSync, openSync, renameSync, rmSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../../files/make-folders.ts";
import { Failure } from "../../../domain/failure.ts";
import { syncFolder, uniqueName, writeAll } from "../../files/durable-write.ts";
import { errorCode } from "../../files/errors.ts";
import { statOf } from "../../files/file-stat.ts";
import { openOwn } from "../../files/owner-and-mode.ts";
import type { Repository } from "../repository.ts";

export interface LockIdentity {
  readonly dev: string;
  readonly ino: string;
}

const POLL_MS = 100;

export function indexLockPath(repository: Repository): string {
  return join(repository.gitDir, "index.lock");
}

export class IndexLock {
  readonly identity: LockIdentity;
  /** When it was made, by the clock of git's disk: before the rollback wrote anything. */
  readonly madeNs: bigint;
  readonly #repository: Repository;
  readonly #prepared: string;

  /** Makes the file; it locks nothing until `take`. */
  constructor(repository: Repository) {
    this.#repository = repository;
    const folder = join(repository.privateDir, "tmp");
    makeFolders(folder, 0o700);
    this.#prepared = join(folder, `lock-${uniqueName()}`);
    closeSync(openOwn(this.#prepared, "wx", 0o644));
    const stat = statOf(this.#prepared);
    this.identity = { dev: String(stat?.dev), ino: String(stat?.ino) };
    this.madeNs = stat?.mtimeNs ?? 0n;
  }

  async take(waitMs: number): Promise<void> {
    const path = indexLockPath(this.#repository);
    const deadline = Date.now() + waitMs;
    try {
      for (;;) {
        try {
          linkSync(this.#prepared, path);
          return;
        } catch (error) {
          if (errorCode(error) !== "EEXIST") throw error;
        }
        if (Date.now() >= deadline) throw lockedByGit(path);
        await new Promise((resolve) => setTimeout(resolve, POLL_MS));
      }
    } finally {
      rmSync(this.#prepared, { force: true });
    }
  }

  isHeld(): boolean {
    return isLock(this.#repository, this.identity);
  }

  /** Writes the new index into the lock and renames it into place, as git does. `copy`: a second name for it. */
  replaceIndex(content: Buffer, mtimeNs: bigint, copy?: string): void {
    const path = indexLockPath(this.#repository);
    if (!this.isHeld()) throw lockedByGit(path);
    const fd = openSync(path, "r+");
    try {
      writeAll(fd, content, 0);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
    // A microsecond early: numbers are rounded here, and an index that is too old is only looked at more closely.
    const seconds = Number(mtimeNs / 1000n - 1n) / 1e6;
    utimesSync(path, seconds, seconds);
    if (copy !== undefined) linkSync(path, copy);
    renameSync(path, join(this.#repository.gitDir, "index"));
    syncFolder(this.#repository.gitDir);
  }

  release(): void {
    releaseLock(this.#repository, this.identity);
  }
}

export function isLock(repository: Repository, identity: LockIdentity): boolean {
  const stat = statOf(indexLockPath(repository));
  return String(stat?.dev) === identity.dev && String(stat?.ino) === identity.ino;
}

export function releaseLock(repository: Repository, identity: LockIdentity): void {
  if (isLock(repository, identity)) rmSync(indexLockPath(repository), { force: true });
}

function lockedByGit(path: string): Failure {
  const since = statOf(path)?.mtime.toISOString();
  return new Failure(
    "index_locked",
    `another git process has locked ${path} (since ${since ?? "now"})`,
    {
      hint: "Wait for it to finish. If no git is running, the file was left by a crashed one and can be deleted.",
    },
  );
}
