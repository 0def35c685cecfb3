/**
 * Which checkpoints are on the line that leads to now.
 *
 * A rollback starts an epoch at the checkpoint it goes to. What was taken later in the old epoch is abandoned:
 * still there, still restorable by full id, but no longer what `latest` or a step number means. Undo goes back to
 * the old epoch, and with it everything of it is valid again.
 */
import type { CheckpointDocument } from "./checkpoint.ts";
import type { CheckpointGlance } from "./checkpoint-glance.ts";
import { lineOf, type EpochBase, type SessionDocument } from "./session.ts";

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
  let elsewhere: readonly Stretch[] | undefined;
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
    elsewhere ??= [...sessions.values()].flatMap(stretchesLeft);
    const left = elsewhere.find((stretch) => isWithin(document, stretch));
    if (left !== undefined) return { valid: false, invalidated_by: left.by };
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
    limit = base.is_own
      ? { seq: base.seq, until: null, baseId, by }
      : { seq: noLimit, until: base.created_at, baseId, by };
    epoch = epochBefore(session, by, base);
  }
  return limits;
}

/** A rollback went back over it, and was not undone. Its own session tells more exactly, by numbers. */
interface Stretch {
  readonly sessionId: string;
  readonly worktreeId: string;
  readonly baseId: string;
  readonly after: string;
  readonly before: string;
  readonly by: string;
}

/** What a session's rollbacks left behind of the other sessions in the same work trees: files belong to all of them. */
function stretchesLeft(session: SessionDocument): Stretch[] {
  return Object.keys(session.worktrees).flatMap((worktreeId) =>
    epochsInEffect(session, worktreeId).flatMap(({ by, base }) => {
      const at = session.history.find(({ id }) => id === by)?.at;
      if (at === undefined) return [];
      const { base_id: baseId, created_at: after } = base;
      return [{ sessionId: session.id, worktreeId, baseId, after, before: at, by }];
    }),
  );
}

function epochsInEffect(
  session: SessionDocument,
  worktreeId: string,
): { readonly by: string; readonly base: EpochBase }[] {
  const line = lineOf(session, worktreeId);
  const found = new Map<string, EpochBase>();
  for (let by = line.epoch; by !== null && !found.has(by);) {
    const base = line.epochs[by];
    if (base === undefined) break;
    found.set(by, base);
    by = epochBefore(session, by, base);
  }
  return [...found].map(([by, base]) => ({ by, base }));
}

function epochBefore(session: SessionDocument, by: string, base: EpochBase): string | null {
  if (base.is_own) return base.epoch;
  return base.left ?? session.history.find((record) => record.id === by)?.epoch_before ?? null;
}

function isWithin(
  { id, session_id, worktree_id, created_at }: CheckpointGlance,
  { sessionId, worktreeId, baseId, after, before }: Stretch,
): boolean {
  return (
    session_id !== sessionId &&
    worktree_id === worktreeId &&
    id !== baseId &&
    created_at > after &&
    created_at < before
  );
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

/** What a rollback of everything to `target` leaves behind: valid now, and taken later in the same work tree. */
export function leftBehind(
  documents: readonly CheckpointDocument[],
  standing: (document: CheckpointDocument) => Standing,
  worktreeId: string,
  target: CheckpointDocument,
): CheckpointDocument[] {
  const isOfTarget = ({ session_id, worktree_id }: CheckpointDocument): boolean =>
    target.session_id === session_id && target.worktree_id === worktree_id;
  return documents.filter(
    (document) =>
      document.id !== target.id &&
      document.worktree_id === worktreeId &&
      document.trigger !== "pre_rollback" &&
      standing(document).valid &&
      (isOfTarget(document)
        ? compareAge(document, target) > 0
        : document.created_at > target.created_at),
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
