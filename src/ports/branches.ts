/** What a rollback has to know about branches before it moves one. */
export interface LeavingCommit {
  readonly branch: string;
  readonly commit: string;
  readonly subject: string;
}

export interface Branches {
  /** The branch that is checked out now, by its full name; undefined: none, HEAD is detached. */
  current(): Promise<string | undefined>;
  tip(ref: string): Promise<string | undefined>;
  /** The folder of another work tree that has this branch checked out, if any. */
  checkedOutElsewhere(ref: string): Promise<string | undefined>;
  /** Commits that are on `from` and not on `to`, newest first. */
  leaving(branch: string, from: string, to: string | undefined): Promise<LeavingCommit[]>;
  /** Refs of an operation in progress, as they are now. */
  operationRefs(): Promise<ReadonlyMap<string, string>>;
}
