/** The moments of a work tree that checkpoints hold, in the order in which they were, and what lies between each and the next. */
import { isPlain, type CheckpointDocument } from "../checkpoint.ts";
import type { RollbackRecord } from "../session.ts";

export interface TimelineMoment {
  readonly document: CheckpointDocument;
  readonly at: string;
  /** A rollback came to it: nothing was taken here. */
  readonly isArrival: boolean;
  /** What happened right after it, where that is known to be no work. */
  readonly next: NoWork | undefined;
}

export type NoWork =
  /** Went to the moment with this index. `isWhole`: everything did; else some paths, and nobody wrote down which. */
  | { readonly kind: "rollback"; readonly to: number; readonly isWhole: boolean }
  /** Wrote files that were worked out for it: took back what this session had done, or merged what its nodes had. */
  | { readonly kind: "written_for"; readonly session: string };

export interface TimelineInput {
  /** Of any work tree and session. */
  readonly documents: readonly CheckpointDocument[];
  readonly worktreeId: string;
  /** Rollbacks of any session and work tree. */
  readonly rollbacks: readonly RollbackRecord[];
  /** True: now it is a folder without git. */
  readonly isPlain: boolean;
}

interface Placed {
  readonly document: CheckpointDocument;
  readonly at: string;
  /** The rollback that came right after it. */
  readonly rollback?: RollbackRecord;
  readonly isArrival?: true;
}

/** Oldest first. Those that hold a part of the project only tell nothing about the rest, and are passed over. */
export function timelineOf(input: TimelineInput): TimelineMoment[] {
  const own = input.documents.filter(
    ({ worktree_id, scope, git }) =>
      worktree_id === input.worktreeId &&
      (scope?.files ?? null) === null &&
      isPlain(git) === input.isPlain,
  );
  const byId = new Map(own.map((document) => [document.id, document]));
  const rollbacks = input.rollbacks.filter(({ worktree_id }) => worktree_id === input.worktreeId);
  const bySafety = new Map(rollbacks.map((record) => [record.safety_id, record]));
  const moments = own.filter(
    (document) =>
      // It never was a moment of the project before the rollback that went to it, if any did.
      document.worked_out !== true &&
      // What a killed rollback had half done was nobody's work, and was taken back.
      (document.trigger !== "pre_rollback" || bySafety.has(document.id)),
  );
  const placed = inOrder(moments).flatMap(({ document, at }): Placed[] => {
    const record = bySafety.get(document.id);
    if (record === undefined) return [{ document, at }];
    const to = byId.get(record.to_id);
    const safety = { document, at, rollback: record };
    const isKnownAfter = to !== undefined && (isWhole(record) || to.worked_out === true);
    return isKnownAfter
      ? [safety, { document: to, at: record.at > at ? record.at : at, isArrival: true }]
      : [safety];
  });
  const first = new Map<string, number>();
  for (const [index, { document }] of placed.entries()) {
    if (!first.has(document.id)) first.set(document.id, index);
  }
  return placed.map(({ document, at, rollback, isArrival = false }, index) => ({
    document,
    at,
    isArrival,
    next:
      rollback === undefined ? undefined : noWork(rollback, first.get(rollback.to_id), index, byId),
  }));
}

function noWork(
  record: RollbackRecord,
  to: number | undefined,
  index: number,
  byId: ReadonlyMap<string, CheckpointDocument>,
): NoWork | undefined {
  const target = byId.get(record.to_id);
  if (target?.worked_out === true && record.kind === "rollback") {
    return { kind: "written_for", session: record.selective?.session ?? target.session_id };
  }
  if (to === undefined || to > index) return undefined;
  return { kind: "rollback", to, isWhole: isWhole(record) };
}

/** A rollback of everything begins an epoch, and its undo goes back to the one before. */
function isWhole({ epoch_before, epoch_after }: RollbackRecord): boolean {
  return epoch_before !== epoch_after;
}

/**
 * Sequence numbers are those of a session, and several sessions share a work tree: between them the clock decides. It may jump, so within
 * a session nothing is earlier than what came before it.
 */
function inOrder(documents: readonly CheckpointDocument[]): Placed[] {
  const latest = new Map<string, string>();
  return documents
    .toSorted((left, right) => left.seq - right.seq)
    .map((document) => {
      const before = latest.get(document.session_id) ?? "";
      const at = document.created_at > before ? document.created_at : before;
      latest.set(document.session_id, at);
      return { document, at };
    })
    .toSorted((left, right) => (left.at < right.at ? -1 : left.at > right.at ? 1 : 0));
}
