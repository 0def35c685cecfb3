/** Sessions in a map: for tests of what stands above the port. */
import type { SessionDocument } from "../../domain/session.ts";
import type { SessionStore, StoredSession } from "../../ports/session-store.ts";

interface MemorySession {
  readonly text: string;
  readonly version: string;
}

/** What lies on the disk for a real store; several stores can share it. */
export type MemorySessions = Map<string, MemorySession>;

export class MemorySessionStore implements SessionStore {
  readonly #sessions: MemorySessions;
  #writes = 0;

  constructor(sessions: MemorySessions = new Map()) {
    this.#sessions = sessions;
  }

  read(id: string): Promise<StoredSession | undefined> {
    const found = this.#sessions.get(id);
    return Promise.resolve(found === undefined ? undefined : parsed(found));
  }

  list(): Promise<StoredSession[]> {
    return Promise.resolve([...this.#sessions.values()].map(parsed));
  }

  write(
    document: SessionDocument,
    expected: string | undefined,
    message: string,
  ): Promise<boolean> {
    if (this.#sessions.get(document.id)?.version !== expected) return Promise.resolve(false);
    this.#writes += 1;
    const version = `${expected ?? ""}/${this.#writes} ${message}`;
    this.#sessions.set(document.id, { text: JSON.stringify(document), version });
    return Promise.resolve(true);
  }
}

function parsed({ text, version }: MemorySession): StoredSession {
  return { document: JSON.parse(text) as SessionDocument, version };
}
