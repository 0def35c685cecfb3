/** Where sessions live: versioned documents, changed by compare-and-swap. Every version is kept as the journal. */
import type { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";

export interface StoredSession {
  readonly document: SessionDocument;
  /** Names this very version; a write that expects another one fails. */
  readonly version: string;
  /** Why the document itself cannot be read: this is a stand-in for it. Only a work tree's own session has one. */
  readonly setAside?: Failure;
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

/**
 * A document that cannot be read is never overwritten. A work tree's own session has a stand-in then, made of its last good version without
 * what could be undone, so that checkpoints stay usable; any other session fails to be read.
 */
export interface SessionStore {
  read(id: string): Promise<StoredSession | undefined>;
  /** One that cannot be read does not hide the others; asking for it by name says what is wrong. */
  list(): Promise<StoredSession[]>;
  /** The same, and why each of the others cannot be read; `details.session` names it. A stand-in is in both lists. */
  listAll(): Promise<ListedSessions>;
  /**
   * Puts a damaged document out of the way, where it can still be looked at, and its last good version and the stand-in together in its place.
   * With neither, the session begins anew. Leaves one of a newer version as it is. Also joins a stand-in with a session that can be read again.
   */
  repair(name: string): Promise<void>;
  /** Sessions that can be read again and still have a stand-in, by the last part of their refs. */
  leftStandIns(): Promise<string[]>;
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
