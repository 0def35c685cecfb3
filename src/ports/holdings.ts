/**
 * What checkpoints hold in the repository that no ref of the user's holds: that is what they cost, and what would be
 * lost with them. Something that several of them hold counts for the newest one only, so that sums are right.
 */
import type { Progress } from "./progress.ts";

export interface Holdings {
  /** Bytes on disk of each of these checkpoints. Objects that are missing count nothing. */
  bytes(ids: readonly string[], progress?: Progress): Promise<ReadonlyMap<string, number>>;
  /** Commits of the user that each of these checkpoints holds, in the trash too; those that hold none are not in it. */
  commits(ids: readonly string[]): Promise<ReadonlyMap<string, readonly string[]>>;
}
