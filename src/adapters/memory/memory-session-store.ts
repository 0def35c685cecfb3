/** Sessions in a map: for tests of what stands above the port. */
import type { SessionDocument } from "../../domain/session.ts";
import {
  orFailure,
  refuseUnreadable,
  sortedOut,
  understood,
} from "../../domain/session-version.ts";
import type {
  ListedSessions,
  SessionStore,
  StoredSession,
  WriteOptions,
} from "../../ports/session-store.ts";

interface MemorySession {
  readonly text: string;
  readonly version: string;
  /** The message of a passing version. */
  readonly passing: string | undefined;
  /** How many versions the journal has. */
  readonly length: number;
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
    if (found === undefined) return Promise.resolve(undefined);
    return new Promise((resolve) => resolve(parsed(found, id)));
  }

  list(): Promise<StoredSession[]> {
    return this.listAll().then(({ sessions }) => [...sessions]);
  }

  listAll(): Promise<ListedSessions> {
    const all = [...this.#sessions].map(([id, found]) => orFailure(() => parsed(found, id)));
    return Promise.resolve(sortedOut(all));
  }

  write(
    document: SessionDocument,
    expected: string | undefined,
    message: string,
    { passing = false }: WriteOptions = {},
  ): Promise<boolean> {
    refuseUnreadable(document);
    const before = this.#sessions.get(document.id);
    if (before?.version !== expected) return Promise.resolve(false);
    this.#writes += 1;
    const isReplaced = passing && before?.passing === message;
    const version = `${expected ?? ""}/${this.#writes} ${message}`;
    this.#sessions.set(document.id, {
      text: JSON.stringify(document),
      version,
      passing: passing ? message : undefined,
      length: (before?.length ?? 0) + (isReplaced ? 0 : 1),
    });
    return Promise.resolve(true);
  }

  repair(): Promise<void> {
    return Promise.resolve();
  }

  leftStandIns(): Promise<string[]> {
    return Promise.resolve([]);
  }

  remove(id: string, expected: string): Promise<boolean> {
    const isThere = this.#sessions.get(id)?.version === expected;
    return Promise.resolve(isThere && this.#sessions.delete(id));
  }
}

function parsed({ text, version }: MemorySession, id: string): StoredSession {
  return { document: understood(JSON.parse(text), id, (own) => own === id), version };
}
