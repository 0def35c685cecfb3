/** A place where a lost object may still be. */
import type { ObjectType } from "../object-hash.ts";

export interface Wanted {
  readonly oid: string;
  readonly type: Exclude<ObjectType, "tag">;
  /** In the checkpoint, as in `worktree/src/a.ts`; names are the original ones, one character per byte. */
  readonly path: string;
}

export interface ObjectSource {
  readonly label: string;
  /** What it has; whoever asks computes the id again. */
  find(wanted: Wanted): Promise<Buffer | undefined>;
  close(): void;
}

/** Another repository, or an archive: it may also have the refs of checkpoints and sessions. */
export interface RepositorySource extends ObjectSource {
  commitOf(ref: string): Promise<string | undefined>;
}
