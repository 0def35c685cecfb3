/** The CurrentSession port as a small file in the work tree's git folder. */
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CurrentSession } from "../../ports/current-session.ts";
import { writeDurably } from "../files/durable-write.ts";
import { isMissing } from "../files/errors.ts";
import type { Repository } from "./repository.ts";

export class GitCurrentSession implements CurrentSession {
  readonly #path: string;

  constructor(repository: Repository) {
    this.#path = join(repository.privateDir, "current-session");
  }

  get(): string | undefined {
    try {
      return readFileSync(this.#path, "utf8").trim() || undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  set(id: string | undefined): void {
    if (id === undefined) rmSync(this.#path, { force: true });
    else writeDurably(this.#path, `${id}\n`, true);
  }
}
