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
  set(sessionId: string, latest: Latest): void;
}
