/** The checkpoints of a session, newest first, each with its standing. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import type { CheckpointGlance } from "../domain/checkpoint-glance.ts";
import { damageOf } from "../domain/damage-record.ts";
import { compareAge, latestOf, type Standing } from "../domain/lineage.ts";
import type { DamageRecord } from "../domain/session.ts";
import { isAskedFor, type TriggerFilter } from "../domain/trigger-filter.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import type { Project } from "./project.ts";
import { glanceAtSessions, viewSessions, type SessionView } from "./session-view.ts";

export interface ListRequest {
  readonly sessionId?: string;
  /** Every session, and `pre_rollback` ones too. */
  readonly all?: boolean;
  readonly taskId?: string;
  readonly phase?: string;
  readonly trigger?: TriggerFilter;
  readonly limit?: number;
}

export type Listed<Document extends CheckpointGlance = CheckpointDocument> =
  | {
      readonly kind: "ok";
      readonly id: string;
      readonly document: Document;
      readonly standing: Standing;
      readonly isCurrent: boolean;
      readonly pinned: boolean;
      readonly expired: boolean;
      /** What `validate` found wrong with it; undefined: nothing so far. */
      readonly damage: DamageRecord | undefined;
    }
  | Exclude<StoredCheckpoint, { kind: "ok" }>;

export interface CheckpointList<Document extends CheckpointGlance = CheckpointDocument> {
  readonly sessionId: string;
  readonly checkpoints: readonly Listed<Document>[];
}

export async function listCheckpoints(
  project: Project,
  request: ListRequest,
): Promise<CheckpointList> {
  return chosenOf(project, await viewSessions(project, request.sessionId), request);
}

/** The same with as much of each as people are shown in a list. */
export async function glanceAtCheckpoints(
  project: Project,
  request: ListRequest,
): Promise<CheckpointList<CheckpointGlance>> {
  return chosenOf(project, await glanceAtSessions(project, request.sessionId), request);
}

function chosenOf<Document extends CheckpointGlance>(
  project: Project,
  view: SessionView<Document>,
  request: ListRequest,
): CheckpointList<Document> {
  const own = view.documents.filter((document) => document.session_id === view.sessionId);
  const current = latestOf(
    own.filter((document) => document.worktree_id === project.workTree.id),
    view.standing,
  );
  const now = project.clock.now();
  const chosen = view.documents
    .filter((document) => matches(document, request, view.sessionId))
    .toSorted(request.all === true ? byTime : (left, right) => compareAge(right, left))
    .map((document): Listed<Document> => ({
      kind: "ok",
      id: document.id,
      document,
      standing: view.standing(document),
      isCurrent: document === current,
      pinned: view.pinned.has(document.id),
      expired: isExpired(document, now),
      damage: damageOf(view.sessions, document),
    }));
  // Nobody knows which session a damaged one belongs to, so every list names it.
  const unreadable = view.stored.flatMap((stored) => (stored.kind === "ok" ? [] : [stored]));
  return {
    sessionId: view.sessionId,
    checkpoints: [...chosen, ...unreadable].slice(0, request.limit ?? undefined),
  };
}

/** Newest first. Numbers count within a session; between sessions only the clock does. */
function byTime(left: CheckpointGlance, right: CheckpointGlance): number {
  if (left.created_at !== right.created_at) return left.created_at < right.created_at ? 1 : -1;
  return compareAge(right, left);
}

function matches(document: CheckpointGlance, request: ListRequest, sessionId: string): boolean {
  const inSession =
    request.all === true ||
    (document.session_id === sessionId && document.trigger !== "pre_rollback");
  return (
    (inSession || (request.trigger === document.trigger && document.session_id === sessionId)) &&
    isOfKind(document, request)
  );
}

export function isOfKind(
  document: CheckpointGlance,
  { taskId, phase, trigger }: Pick<ListRequest, "taskId" | "phase" | "trigger">,
): boolean {
  return (
    (taskId === undefined || document.task_id === taskId) &&
    (phase === undefined || document.phase === phase) &&
    (trigger === undefined || isAskedFor(trigger, document.trigger))
  );
}
