/** The note about the last rollback, in the git folder: nothing of it can end up in a commit. */
import { join } from "node:path";
import type { Notes } from "../../ports/notes.ts";
import { writeDurably } from "../files/durable-write.ts";
import type { Repository } from "./repository.ts";

export class GitNotes implements Notes {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  leave(note: Readonly<Record<string, unknown>>): void {
    const path = join(this.#repository.privateDir, "last-rollback.json");
    writeDurably(path, `${JSON.stringify(note, null, 1)}\n`, false);
  }
}
