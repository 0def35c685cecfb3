/** The stash list of the repository. */
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";

export interface StashEntry {
  readonly commit: string;
  /** Paths that `git stash apply --index` on a clean tree does not bring back as they were. */
  readonly notExact: readonly BytePath[];
}

export interface Stashes {
  /**
   * Puts the state of a checkpoint on the list, as `git stash push -u` would have done there. Undefined when that state
   * is the one of its commit, so that there is nothing to put. Changes the list and nothing else.
   */
  add(checkpoint: CheckpointDocument, message: string): Promise<StashEntry | undefined>;
}
