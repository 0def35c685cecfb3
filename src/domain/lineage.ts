/**
 * Which checkpoints are on the line that leads to now.
 *
 * A rollback starts an epoch at the checkpoint it goes to. What was taken later in the old epoch is abandoned:
 * still there, still restorable by full id, but no longer what `latest` or a step number means. Undo goes back to
 * the old epoch, and with it everything of it is valid again.
 */
import type { CheckpointDocument } from "./checkpoint.ts";
import type { CheckpointGlance } from "./checkpoint-glance.ts";
import { lineOf, type SessionDocument } from "./session.ts";

export interface Standing {
  readonly valid: boolean;
  readonly invalidated_by: string | null;
}

const VALID: Standing = { valid: true, invalidated_by: null };

/** Older first. Times may jump, so the sequence number decides before the clock does. */
export function compareAge(left: CheckpointGlance, right: CheckpointGlance): number {
  return (
    left.seq - right.seq ||
    compareText(left.created_at, right.created_at) ||
    compareText(left.id, right.id)
  );
}

function compareText(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

export function standingOf(
  sessions: ReadonlyMap<string, SessionDocument>,
): (document: CheckpointGlance) => Standing {
  const limits = new Map<string, Map<string, Limit>>();
  let goneTo: ReadonlySet<string> | undefined;
  return (document) => {
    if (document.worked_out === true) {
      goneTo ??= new Set(
        [...sessions.values()].flatMap(({ history }) => history.map(({ to_id }) => to_id)),
      );
      // Killed before the rollback: it never was a moment of the project.
      if (!goneTo.has(document.id) && !isForgotten(sessions, document))
        return { valid: false, invalidated_by: null };
    }
    if (document.trigger === "pre_rollback") return VALID;
    const session = sessions.get(document.session_id);
    if (session === undefined) return VALID;
    const key = `${document.session_id}\n${document.worktree_id}`;
    let line = limits.get(key);
    if (line === undefined) {
      line = epochLimits(session, document.worktree_id);
      limits.set(key, line);
    }
    const limit = line.get(document.epoch ?? "");
    if (limit === undefined) return { valid: false, invalidated_by: whoLeft(session, document) };
    const isEarlier =
      document.seq < limit.seq && (limit.until === null || document.created_at <= limit.until);
    if (document.id === limit.baseId || isEarlier) return VALID;
    return { valid: false, invalidated_by: limit.by };
  };
}

/** It is older than what the history has: the rollback to it may have been among what was before. */
function isForgotten(
  sessions: ReadonlyMap<string, SessionDocument>,
  { session_id, created_at }: CheckpointGlance,
): boolean {
  return created_at <= (sessions.get(session_id)?.history_after ?? "");
}

interface Limit {
  /** Checkpoints of the epoch with a smaller number are valid … */
  readonly seq: number;
  /** … that are not later than this, where the next epoch began at a checkpoint of another session … */
  readonly until: string | null;
  /** … and so is the one that the next epoch began at. */
  readonly baseId: string | null;
  readonly by: string | null;
}

function epochLimits(session: SessionDocument, worktreeId: string): Map<string, Limit> {
  const line = lineOf(session, worktreeId);
  const limits = new Map<string, Limit>();
  let epoch = line.epoch;
  const noLimit = Number.POSITIVE_INFINITY;
  let limit: Limit = { seq: noLimit, until: null, baseId: null, by: null };
  while (!limits.has(epoch ?? "")) {
    limits.set(epoch ?? "", limit);
    if (epoch === null) break;
    const by: string = epoch;
    const base = line.epochs[by];
    if (base === undefined) break;
    const baseId = base.base_id;
    if (base.is_own) {
      limit = { seq: base.seq, until: null, baseId, by };
      epoch = base.epoch;
    } else {
      limit = { seq: noLimit, until: base.created_at, baseId, by };
      epoch = base.left ?? session.history.find((record) => record.id === by)?.epoch_before ?? null;
    }
  }
  return limits;
}

function whoLeft(session: SessionDocument, document: CheckpointGlance): string | null {
  const left = session.history.findLast(
    (record) =>
      record.worktree_id === document.worktree_id &&
      record.epoch_before === document.epoch &&
      record.epoch_after !== document.epoch,
  );
  return left?.id ?? null;
}

/** What a rollback of everything to `target` leaves behind: valid now, and taken later on the same line. */
export function leftBehind(
  documents: readonly CheckpointDocument[],
  standing: (document: CheckpointDocument) => Standing,
  line: { readonly sessionId: string; readonly worktreeId: string },
  target: CheckpointDocument,
): CheckpointDocument[] {
  const isOwn = target.session_id === line.sessionId && target.worktree_id === line.worktreeId;
  return documents.filter(
    (document) =>
      document.id !== target.id &&
      document.session_id === line.sessionId &&
      document.worktree_id === line.worktreeId &&
      document.trigger !== "pre_rollback" &&
      standing(document).valid &&
      (isOwn ? compareAge(document, target) > 0 : document.created_at > target.created_at),
  );
}

/** The newest valid checkpoint of a session in a work tree; `pre_rollback` ones never count. */
export function latestOf<Document extends CheckpointGlance>(
  documents: readonly Document[],
  standing: (document: Document) => Standing,
): Document | undefined {
  let latest: Document | undefined;
  for (const document of documents) {
    if (document.trigger === "pre_rollback" || !standing(document).valid) continue;
    if (latest === undefined || compareAge(document, latest) > 0) latest = document;
  }
  return latest;
}
