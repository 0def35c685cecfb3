/**
 * Checkpoints from the time when the project was a plain folder without git, in a repository of their own.
 *
 * Obligations: all of them are here afterwards or are named with a reason; nothing that is here is replaced; their own
 * repository is never deleted; it can be killed at any point and begun again.
 */
export interface TakenOver {
  /** Checkpoints that are here now. */
  readonly ids: readonly string[];
  /** What is only in the other repository, and why. */
  readonly left: readonly { readonly ref: string; readonly why: string }[];
  /** Where the other repository is now. */
  readonly keptAt: string;
}

export interface EarlierCheckpoints {
  /** Undefined when another process has done it meanwhile. */
  takeOver(at: Date): Promise<TakenOver | undefined>;
}
