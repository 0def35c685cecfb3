/** Where sessions live: versioned documents, changed by compare-and-swap. Every version is kept as the journal. */
import type { SessionDocument } from "../domain/session.ts";

export interface StoredSession {
  readonly document: SessionDocument;
  /** Names this very version; a write that expects another one fails. */
  readonly version: string;
}

export interface SessionStore {
  read(id: string): Promise<StoredSession | undefined>;
  list(): Promise<StoredSession[]>;
  /** False when somebody else wrote meanwhile; `expected` undefined: the session must be new. */
  write(document: SessionDocument, expected: string | undefined, message: string): Promise<boolean>;
}
