/** Notes about the last rollbacks, in the git folder: nothing of them can end up in a commit. */
import { join } from "node:path";
import { isRecord } from "../../domain/is-record.ts";
import type { Notes } from "../../ports/notes.ts";
import { writeDurably } from "../files/durable-write.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

const KEPT = 20;

export class GitNotes implements Notes {
  readonly #repository: Repository;

  constructor(repository: Repository) {
    this.#repository = repository;
  }

  leave(note: Readonly<Record<string, unknown>>): void {
    const notes = [...this.read(), note].slice(-KEPT);
    writeDurably(this.#path("rollback-notes.json"), JSON.stringify(notes), false);
    writeDurably(this.#path("last-rollback.json"), `${JSON.stringify(note, null, 1)}\n`, false);
  }

  read(): readonly Readonly<Record<string, unknown>>[] {
    try {
      const notes: unknown = JSON.parse(readRegular(this.#path("rollback-notes.json"), "utf8"));
      return Array.isArray(notes) ? notes.filter(isRecord) : [];
    } catch {
      return [];
    }
  }

  #path(name: string): string {
    return join(this.#repository.privateDir, name);
  }
}
