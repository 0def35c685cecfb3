/** The LatestHint port as a small file in the work tree's git folder. */
import { join } from "node:path";
import type { Latest, LatestHint } from "../../ports/latest-hint.ts";
import { writeDurably } from "../files/durable-write.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

/** No session has this id. */
const HERE = "";

export class GitLatestHint implements LatestHint {
  readonly #path: string;

  constructor(repository: Repository) {
    this.#path = join(repository.privateDir, "latest.json");
  }

  get(sessionId: string): Latest | undefined {
    const found = this.#read()[sessionId];
    return isLatest(found) ? found : undefined;
  }

  set(sessionId: string, latest: Latest, here?: string): void {
    this.#write({ [sessionId]: latest, ...(here === undefined ? {} : { [HERE]: here }) });
  }

  here(): string | undefined {
    const id = this.#read()[HERE];
    return typeof id === "string" ? id : undefined;
  }

  setHere(id: string): void {
    this.#write({ [HERE]: id });
  }

  #write(more: Readonly<Record<string, unknown>>): void {
    try {
      writeDurably(this.#path, JSON.stringify({ ...this.#read(), ...more }), false);
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
