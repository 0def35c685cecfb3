/** Where sessions live: versioned documents, changed by compare-and-swap. Every version is kept as the journal. */
import type { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";

export interface StoredSession {
  readonly document: SessionDocument;
  /** Names this very version; a write that expects another one fails. */
  readonly version: string;
}

export interface ListedSessions {
  readonly sessions: readonly StoredSession[];
  readonly unreadable: readonly Failure[];
}

export interface WriteOptions {
  /**
   * It says nothing that a journal should keep, such as a sign of life: it takes the place of the version before it when that
   * was such a one too, with the same message. So the journal does not grow however often it is written.
   */
  readonly passing?: boolean;
}

export interface SessionStore {
  read(id: string): Promise<StoredSession | undefined>;
  /** One that cannot be read does not hide the others; asking for it by name says what is wrong. */
  list(): Promise<StoredSession[]>;
  /** The same, and why each of the others cannot be read. */
  listAll(): Promise<ListedSessions>;
  /** False when somebody else wrote meanwhile; `expected` undefined: the session must be new. */
  write(
    document: SessionDocument,
    expected: string | undefined,
    message: string,
    options?: WriteOptions,
  ): Promise<boolean>;
  /** Removes a session with its journal. False when it is not there, or somebody wrote it meanwhile. */
  remove(id: string, expected: string): Promise<boolean>;
}
