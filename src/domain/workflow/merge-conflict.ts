/** What the results of two nodes, or of a node and the main work tree, do not agree on. */
import type { EntryMode } from "../file-state.ts";

export const CONFLICT_REASONS = [
  /** Both changed the same lines; the file has markers. */
  "content",
  /** Both changed a file that is no text. */
  "binary",
  /** One changed it, the other took it away. */
  "modify_delete",
  /** One gave it another name, the other took it away, or gave it a third one. */
  "rename",
  /** Both made it, each with other content. */
  "both_added",
  /** A file on one side is a folder or a link on the other. */
  "type",
  "other",
] as const;
export type ConflictReason = (typeof CONFLICT_REASONS)[number];

/** What one side has under the path; `git cat-file blob <oid>` prints it. */
export interface ConflictSide {
  readonly mode: EntryMode;
  readonly oid: string;
}

/** What stands behind the markers in a file. */
export interface MarkerLabels {
  readonly ours: string;
  readonly theirs: string;
}

/** Whether a file still has the markers of a merge with these labels, which are slugs. */
export function hasMarkers(content: string, { ours, theirs }: MarkerLabels): boolean {
  return new RegExp(`^(?:<<<<<<< ${ours}|>>>>>>> ${theirs})`, "m").test(content);
}

export interface MergeConflict {
  /** Shown form of the path. */
  readonly path: string;
  readonly why: ConflictReason;
  /** In words, such as "deleted in main and modified in api". */
  readonly says: string;
  /** Null: not there. */
  readonly base: ConflictSide | null;
  readonly ours: ConflictSide | null;
  readonly theirs: ConflictSide | null;
  /** True: the file was written with markers, and is resolved when they are gone. */
  readonly has_markers: boolean;
}

/** A conflict that waits for its resolver or for a person. Plain data: a session can hold it. */
export interface OpenConflict {
  /** The node whose result does not fit. */
  readonly node: string;
  /** The `conflict_start` checkpoint: the main work tree before. */
  readonly start_id: string;
  /** The checkpoint with the conflicted files, and the entry of the journal with which they were written. */
  readonly merged_id: string;
  readonly rollback_id: string;
  readonly labels: MarkerLabels;
  readonly paths: readonly MergeConflict[];
  /** Brings the main work tree back to before the merge. */
  readonly restore_command: string;
}
