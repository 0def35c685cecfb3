/**
 * Brings what isolated nodes left into the main work tree: a three-way merge, carried out by the rollback's own machinery. So
 * only files that change are written, what others save meanwhile stays, a kill is taken back, and `undo` takes back the whole.
 */
import { parsePath, showPath, type BytePath } from "../domain/byte-path.ts";
import { gitPartOf, type CheckpointDocument, type Exclusion } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { sameFile, type FileState } from "../domain/file-state.ts";
import { implicitSessionId } from "../domain/session.ts";
import type { OpenConflict } from "../domain/workflow/merge-conflict.ts";
import type { MergedFiles, MergeSide } from "../ports/isolated-work-trees.ts";
import type { Capture, Comparison } from "../ports/work-tree.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import type { PlaceInWorkflow } from "./isolated-trees.ts";
import type { RollbackPlan } from "./plan-rollback.ts";
import type { Project } from "./project.ts";
import { recover } from "./recover.ts";
import { rollBack, type RollbackResult } from "./roll-back.ts";
import { rollbackId } from "./rollback-id.ts";
import { isJournaled } from "./write-journal.ts";

export interface MergeRequest {
  /** Where the batch began. */
  readonly base: CheckpointDocument;
  /** In the order in which they are merged. */
  readonly results: readonly MergeSide[];
  readonly place: PlaceInWorkflow;
  /** Called before conflicted files are written, so that it can be kept: `concludeConflict` takes it from there. */
  readonly onConflict?: (conflict: OpenConflict) => Promise<void>;
  /**
   * Called with the conflicted files in the main work tree. Undefined, or an answer of `person`: somebody else resolves it, and
   * `concludeConflict` is called when that is done.
   */
  readonly resolve?: (conflict: OpenConflict) => Promise<ResolverAnswer>;
}

export type ResolverAnswer =
  | { readonly kind: "resolved" }
  | { readonly kind: "failed"; readonly message: string }
  | { readonly kind: "person" };

export interface MergeReport {
  /** Names of results that are in the main work tree, without open conflicts. */
  readonly merged: readonly string[];
  /** Names of results that are not, in their order; the first one is that of the conflict. */
  readonly pending: readonly string[];
  /** Paths of the main work tree that were written or removed. */
  readonly changed: readonly string[];
  /** What somebody saved meanwhile and what stayed therefore; the merged file is in the checkpoint. */
  readonly kept: readonly { readonly path: string; readonly keptAt: string; readonly checkpointId: string }[];
  /** Files of nodes that no checkpoint holds: they were not merged. */
  readonly leftOut: readonly { readonly name: string; readonly exclusion: Exclusion }[];
  /** Ids of the checkpoints that were made, in their order. */
  readonly checkpoints: readonly string[];
  /** Journal entries of what was written; `undo` takes the last one back. */
  readonly rollbackIds: readonly string[];
}

export type MergeOutcome =
  | ({ readonly kind: "merged" } & MergeReport)
  | ({
      readonly kind: "conflict";
      readonly conflict: OpenConflict;
      /** Paths that still have markers. */
      readonly unresolved: readonly string[];
      /** Why it is open: nobody was asked, or the resolver failed, or left markers. */
      readonly why: "waits_for_person" | "resolver_failed" | "markers_left";
      readonly message: string | null;
    } & MergeReport);

export async function mergeIsolated(project: Project, request: MergeRequest): Promise<MergeOutcome> {
  throw new Error("not yet");
}

export type Conclusion =
  | { readonly kind: "resolved"; readonly checkpointId: string }
  | { readonly kind: "unresolved"; readonly paths: readonly string[] }
  /** The conflicted files were never written, or were taken back: the result has to be merged again. */
  | { readonly kind: "not_begun" };

/** Called when somebody has resolved a conflict: takes the `conflict_resolved` checkpoint, unless markers are left. */
export async function concludeConflict(
  project: Project,
  conflict: OpenConflict,
  place: PlaceInWorkflow,
): Promise<Conclusion> {
  throw new Error("not yet");
}
