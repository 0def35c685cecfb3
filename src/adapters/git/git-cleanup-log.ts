/** The CleanupLog port as small files in the repository's git folder: all work trees share the checkpoints. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { CleanupLog, LastCleanup } from "../../ports/cleanup-log.ts";
import { writeDurably } from "../files/durable-write.ts";
import { takeLock } from "../files/owned-lock.ts";
import type { Repository } from "./repository.ts";

/** A cleanup takes seconds at most; one that was asked for waits that long for another. */
const LOCK_WAIT_MS = 2000;

export class GitCleanupLog implements CleanupLog {
  readonly #folder: string;

  constructor(repository: Repository) {
    this.#folder = repository.sharedDir;
  }

  read(): LastCleanup | undefined {
    try {
      const last = JSON.parse(readFileSync(this.#path(), "utf8")) as Partial<LastCleanup> | null;
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
    const lock = await takeLock(join(this.#folder, "cleanup.lock"), "cleaning up", LOCK_WAIT_MS);
    try {
      return await work();
    } finally {
      lock.release();
    }
  }

  #path(): string {
    return join(this.#folder, "last-cleanup.json");
  }
}
