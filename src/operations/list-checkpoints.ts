/** The checkpoints of a work tree, of all its sessions, newest first, each with its standing. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import type { CheckpointGlance } from "../domain/checkpoint-glance.ts";
import { damageOf } from "../domain/damage-record.ts";
import type { Standing } from "../domain/lineage.ts";
import {
  continuedBy,
  currentOf,
  foldPrompts,
  newestFirst,
  type Fold,
} from "../domain/time-line.ts";
import type { DamageRecord } from "../domain/session.ts";
import { noSuchSession } from "../domain/workflow/session-selector.ts";
import { isAskedFor, type TriggerFilter } from "../domain/trigger-filter.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import type { Project } from "./project.ts";
import { isImplicit } from "./which-session.ts";
import { glanceAtSessions, viewSessions, type SessionView } from "./session-view.ts";

export interface ListRequest {
  /** Only of this session, also in other work trees. */
  readonly sessionId?: string;
  /** Of every work tree, and `pre_rollback` ones too. */
  readonly all?: boolean;
  readonly taskId?: string;
  readonly agent?: string;
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
  /** Somebody started that session; false: it is the work tree's own. */
  readonly hasStarted: boolean;
  readonly checkpoints: readonly Listed<Document>[];
  /** The one that it continued: what it changed is what differs between the two. */
  readonly before: (id: string) => Document | undefined;
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

function refuseUnknownSession(
  project: Project,
  { sessions, documents, setAside }: SessionView<CheckpointGlance>,
  id: string,
): void {
  const isKnown =
    sessions.has(id) || setAside !== undefined || documents.some((one) => one.session_id === id);
  if (!isKnown && !isImplicit(project, id)) throw noSuchSession(id, [...sessions.keys()]);
}

function chosenOf<Document extends CheckpointGlance>(
  project: Project,
  view: SessionView<Document>,
  request: ListRequest,
): CheckpointList<Document> {
  if (request.sessionId !== undefined) refuseUnknownSession(project, view, request.sessionId);
  const line = newestFirst(view.documents);
  const here = line.filter((document) => document.worktree_id === project.workTree.id);
  const current = currentOf(line, view.standing, project.latestHint.here());
  const now = project.clock.now();
  const chosen = line
    .filter((document) => matches(document, request, view, project.workTree.id))
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
  const all = [...chosen, ...unreadable];
  return {
    sessionId: view.sessionId,
    hasStarted: !isImplicit(project, view.sessionId),
    before: (id) => continuedBy(here, id, view.standing),
    checkpoints: request.limit === undefined ? all : all.slice(0, request.limit),
  };
}

function matches(
  document: CheckpointGlance,
  request: ListRequest,
  { askedId }: Pick<SessionView, "askedId">,
  worktreeId: string,
): boolean {
  const isHere =
    askedId === undefined
      ? request.all === true || document.worktree_id === worktreeId
      : document.session_id === askedId;
  const isSafety = document.trigger === "pre_rollback";
  return (
    isHere &&
    (!isSafety || request.all === true || request.trigger === "pre_rollback") &&
    isOfKind(document, request)
  );
}

/** Tool calls of one prompt as one row; what is marked in any way stands for itself. */
export function foldListed<Document extends CheckpointGlance>(
  listed: readonly Listed<Document>[],
): Fold<Listed<Document>>[] {
  return foldPrompts(listed, (row) => {
    if (row.kind !== "ok") return undefined;
    const { agent_session_id, turn } = row.document.created_by;
    if (agent_session_id === null || turn === undefined) return undefined;
    const { valid, invalidated_by } = row.standing;
    return {
      key: JSON.stringify([agent_session_id, turn, valid, invalidated_by]),
      isToolCall: row.document.trigger === "tool_use",
      mayFold: !row.isCurrent && !row.pinned && !row.expired && row.damage === undefined,
    };
  });
}

export function isOfKind(
  document: CheckpointGlance,
  { taskId, phase, trigger, agent }: Pick<ListRequest, "taskId" | "phase" | "trigger" | "agent">,
): boolean {
  return (
    (taskId === undefined || document.task_id === taskId) &&
    (phase === undefined || document.phase === phase) &&
    (agent === undefined || document.created_by.agent === agent) &&
    (trigger === undefined || isAskedFor(trigger, document.trigger))
  );
}
