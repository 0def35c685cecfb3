/**
 * Guards under way. One guard at a time acts in a work tree, besides those inside of it; the checkpoint of each is known to
 * all work trees, so that nobody takes it away, and is still known when the guard was killed.
 */

export interface GuardMark {
  readonly checkpointId: string;
  readonly worktreeId: string;
  readonly since: string;
}

export type GitFolder =
  | { readonly kind: "there" }
  /** `keptAt`: where the repository is that the command had made in its place. */
  | { readonly kind: "put_back"; readonly keptAt?: string }
  | { readonly kind: "lost" };

/** A guard between its beginning and its end. */
export interface GuardPlace {
  /** Checkpoints of the guards around this one, the outermost first. */
  readonly around: readonly string[];
  /** From now on the checkpoint is in use, and the git folder is held as it is. */
  protect(checkpointId: string): void;
  /** Puts the git folder back if it was deleted since. */
  bringBackGit(): GitFolder;
  /** Keeps what is known about a failed attempt until the guard ends; the path of the file. */
  report(content: Uint8Array): string;
  leave(): void;
}

export interface Guards {
  /** Fails when another guard is at work here. `within`: the checkpoint of a guard of this process that this one is inside of. */
  enter(within: string | undefined): Promise<GuardPlace>;
  /** Checkpoints of guards that are under way or were killed, in any work tree of the repository. */
  inUse(): readonly string[];
  /** Guards whose process is gone. */
  killed(): readonly GuardMark[];
  /** What was killed is known by now, or was taken care of. */
  forget(checkpointId: string): void;
}
