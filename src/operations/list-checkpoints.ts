/** The checkpoints of a session, newest first, each with its standing. */
import { isExpired, type CheckpointDocument, type Trigger } from "../domain/checkpoint.ts";
import { compareAge, latestOf, type Standing } from "../domain/lineage.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

export interface ListRequest {
  readonly sessionId?: string;
  /** Every session, and `pre_rollback` ones too. */
  readonly all?: boolean;
  readonly taskId?: string;
  readonly phase?: string;
  readonly trigger?: Trigger;
  readonly limit?: number;
}

export type Listed =
  | {
      readonly kind: "ok";
      readonly id: string;
      readonly document: CheckpointDocument;
      readonly standing: Standing;
      readonly isCurrent: boolean;
      readonly pinned: boolean;
      readonly expired: boolean;
      /** What `validate` found wrong with it; undefined: nothing so far. */
      readonly damage: string | undefined;
    }
  | Exclude<StoredCheckpoint, { kind: "ok" }>;

export interface CheckpointList {
  readonly sessionId: string;
  readonly checkpoints: readonly Listed[];
}

export async function listCheckpoints(
  project: Project,
  request: ListRequest,
): Promise<CheckpointList> {
  const view = await viewSessions(project, request.sessionId);
  const own = view.documents.filter((document) => document.session_id === view.sessionId);
  const current = latestOf(
    own.filter((document) => document.worktree_id === project.workTree.id),
    view.standing,
  );
  const now = project.clock.now();
  const chosen = view.documents
    .filter((document) => matches(document, request, view.sessionId))
    .toSorted(request.all === true ? byTime : (left, right) => compareAge(right, left))
    .map((document): Listed => ({
      kind: "ok",
      id: document.id,
      document,
      standing: view.standing(document),
      isCurrent: document === current,
      pinned: view.pinned.has(document.id),
      expired: isExpired(document, now),
      damage: view.sessions.get(document.session_id)?.corrupted?.[document.id]?.problems[0],
    }));
  // Nobody knows which session a damaged one belongs to, so every list names it.
  const unreadable = view.stored.flatMap((stored) => (stored.kind === "ok" ? [] : [stored]));
  return {
    sessionId: view.sessionId,
    checkpoints: [...chosen, ...unreadable].slice(0, request.limit ?? undefined),
  };
}

/** Newest first. Numbers count within a session; between sessions only the clock does. */
function byTime(left: CheckpointDocument, right: CheckpointDocument): number {
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? 1 : -1;
  return compareAge(right, left);
}

function matches(document: CheckpointDocument, request: ListRequest, sessionId: string): boolean {
  const inSession =
    request.all === true ||
    (document.session_id === sessionId && document.trigger !== "pre_rollback");
  return (
    (inSession || (request.trigger === document.trigger && document.session_id === sessionId)) &&
    (request.taskId === undefined || document.task_id === request.taskId) &&
    (request.phase === undefined || document.phase === request.phase) &&
    (request.trigger === undefined || document.trigger === request.trigger)
  );
}
