/**
 * Remembers which checkpoint of a session was the last one here, so that taking the next need not list them all.
 * Only a hint: it may be missing or out of date, and whoever uses it checks.
 */
export interface Latest {
  readonly id: string;
  /** The highest sequence number that was given out. */
  readonly seq: number;
  /** The version of the session for which all of them were looked through: after a rollback it is one of an older epoch. */
  readonly version?: string;
}

export interface LatestHint {
  get(sessionId: string): Latest | undefined;
  set(sessionId: string, latest: Latest): void;
}
