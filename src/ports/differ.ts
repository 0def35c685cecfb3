/** What differs between two moments of the project. Runs no code of the repository: no filters, no external diff programs. */
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument, Exclusion } from "../domain/checkpoint.ts";
import type { Capture } from "./work-tree.ts";

/** A checkpoint, or a capture of now that has not been published. */
export type Moment =
  | { readonly kind: "checkpoint"; readonly document: CheckpointDocument }
  | { readonly kind: "now"; readonly capture: Capture };

export interface FileDifference {
  readonly path: BytePath;
  readonly change: "added" | "removed" | "modified";
  /** Lines; null for binary files. */
  readonly added: number | null;
  readonly removed: number | null;
}

export interface DiffSummary {
  readonly files: number;
  readonly added: number;
  readonly removed: number;
}

export interface PassedCommit {
  readonly commit: string;
  readonly subject: string;
}

export interface PatchOptions {
  readonly isColored: boolean;
  readonly paths: readonly BytePath[];
  /** Files that are not shown. */
  readonly leaveOut: readonly BytePath[];
  /** Unchanged lines around each change, and names after `a/` and `b/`; not given: as the user's git shows it. */
  readonly contextLines?: number;
}

export interface Differ {
  /** Files of the work tree, in the order of their paths. Nothing given: all of them. */
  files(from: Moment, to: Moment, paths: readonly BytePath[]): Promise<FileDifference[]>;
  /** Files whose entry in the index is another one than in HEAD's commit at that moment. */
  staged(moment: Moment): Promise<ReadonlySet<BytePath>>;
  /** How much differs between one moment and each of these checkpoints, in their order; undefined for damaged ones. */
  summaries(from: Moment, to: readonly CheckpointDocument[]): Promise<(DiffSummary | undefined)[]>;
  /** The same for pairs of trees of files; undefined also for what is no id of a tree. */
  changes(
    pairs: readonly { readonly from: string; readonly to: string }[],
  ): Promise<(DiffSummary | undefined)[]>;
  /** Withheld files of a checkpoint whose local half is not here. */
  notHere(document: CheckpointDocument): Promise<readonly Exclusion[]>;
  /** The patch that leads from one to the other, piece by piece; `write` may ask to wait. */
  patch(
    from: Moment,
    to: Moment,
    options: PatchOptions,
    write: (piece: Buffer) => Promise<void>,
  ): Promise<void>;
  /** Commits on the way, newest first: those that `to` has and `from` has not, and the other way round. */
  commits(
    from: string | null,
    to: string | null,
  ): Promise<{ readonly gained: readonly PassedCommit[]; readonly lost: readonly PassedCommit[] }>;
  /** Of these commits, those that no branch, remote branch or tag has, and when each was made, in seconds. */
  withoutRef(commits: readonly string[]): Promise<ReadonlyMap<string, number>>;
  /** The pager that the user chose for git, if any; what the repository's own settings say does not count. */
  pager(): Promise<string | undefined>;
}
