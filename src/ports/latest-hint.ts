/**
 * Remembers which checkpoint of a session was the last one here, so that taking the next need not list them all.
 * Only a hint: it may be missing or out of date, and whoever uses it checks.
 */
export interface Latest {
  readonly id: string;
  /** The highest sequence number that was given out. */
  readonly seq: number;
  /** The epoch in which it was the last: after a rollback, undo or redo another one is. */
  readonly epoch: string | null;
}

export interface LatestHint {
  get(sessionId: string): Latest | undefined;
  /** `here`: as of `setHere`. */
  set(sessionId: string, latest: Latest, here?: string): void;
  /** The checkpoint that the last create or rollback left this work tree at; one of an import was never there. */
  here(): string | undefined;
  setHere(id: string): void;
}
