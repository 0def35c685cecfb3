/** The LatestHint port as a small file in the work tree's git folder. */
import { join } from "node:path";
import type { Latest, LatestHint } from "../../ports/latest-hint.ts";
import { writeDurably } from "../files/durable-write.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

export class GitLatestHint implements LatestHint {
  readonly #path: string;

  constructor(repository: Repository) {
    this.#path = join(repository.privateDir, "latest.json");
  }

  get(sessionId: string): Latest | undefined {
    const found = this.#read()[sessionId];
    return isLatest(found) ? found : undefined;
  }

  set(sessionId: string, latest: Latest): void {
    try {
      writeDurably(this.#path, JSON.stringify({ ...this.#read(), [sessionId]: latest }), false);
    } catch {
      // Without it the next checkpoint lists all of them.
    }
  }

  #read(): Record<string, unknown> {
    try {
      return (JSON.parse(readRegular(this.#path, "utf8")) ?? {}) as Record<string, unknown>;
    } catch {
      return {};
    }
  }
}

/** The file may have been damaged; then it says nothing. */
function isLatest(value: unknown): value is Latest {
  const { id, seq, epoch } = (value ?? {}) as Partial<Record<keyof Latest, unknown>>;
  const isEpoch = epoch === null || typeof epoch === "string";
  return typeof id === "string" && typeof seq === "number" && isEpoch;
}
