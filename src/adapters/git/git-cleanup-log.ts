/** The CleanupLog port as small files in the repository's git folder: all work trees share the checkpoints. */
import { join } from "node:path";
import type { CleanupLog, LastCleanup } from "../../ports/cleanup-log.ts";
import { writeDurably } from "../files/durable-write.ts";
import { ABANDONED_MS } from "../files/left-behind.ts";
import { takeLock } from "../files/owned-lock.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

/** A cleanup takes seconds at most; one that was asked for waits that long for another. */
const LOCK_WAIT_MS = 2000;

function cleanupLockPath(repository: Repository): string {
  return join(repository.sharedDir, "cleanup.lock");
}

export class GitCleanupLog implements CleanupLog {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  read(): LastCleanup | undefined {
    try {
      const last = JSON.parse(readRegular(this.#path(), "utf8")) as Partial<LastCleanup> | null;
      return typeof last?.at === "string" && typeof last.outcome === "string"
        ? (last as LastCleanup)
        : undefined;
    } catch {
      return undefined;
    }
  }

  write(last: LastCleanup): void {
    writeDurably(this.#path(), `${JSON.stringify(last, null, 1)}\n`, false);
  }

  async exclusively<T>(work: () => Promise<T>): Promise<T> {
    const lock = await takeLock(
      cleanupLockPath(this.#repository),
      "cleaning up",
      LOCK_WAIT_MS,
      ABANDONED_MS,
    );
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  #path(): string {
    return join(this.#repository.sharedDir, "last-cleanup.json");
  }
}
