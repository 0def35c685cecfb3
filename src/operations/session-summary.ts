/** What a list says about one session: the document `session_list` of `--json` has these, and `session` has more. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { compareAge } from "../domain/lineage.ts";
import type { SessionDocument, SessionError } from "../domain/session.ts";
import { NO_LEASE, type Lease } from "../domain/workflow/lease.ts";
import { NO_PROGRESS, progressCount, type ProgressCount } from "../domain/workflow/progress.ts";
import type { Project } from "./project.ts";
import { viewSessions, type SessionView } from "./session-view.ts";

/** Who runs it. */
export interface DescribedLease extends Lease {
  /** False: nobody does, or its process is gone. Null: it is on another machine, and nobody here can tell. */
  readonly alive: boolean | null;
}

export interface SessionSummary {
  readonly id: string;
  /** True for an implicit one, such as the work tree's own. */
  readonly implicit: boolean;
  /** The one that commands in this work tree work with. */
  readonly current: boolean;
  readonly workflow_type: string | null;
  readonly project_name: string | null;
  readonly description: string | null;
  readonly topic: string | null;
  readonly task_id: string | null;
  readonly issue_number: number | null;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly ended_at: string | null;
  readonly archived_at: string | null;
  /** The last change of the session, or its last checkpoint. */
  readonly last_activity_at: string;
  /** Full name of the branch that it began on. */
  readonly branch: string | null;
  readonly worktree_id: string | null;
  readonly current_phase: string | null;
  readonly current_step: number | null;
  readonly total_phases: number;
  readonly completed_phases: number;
  readonly progress: ProgressCount;
  /** Without the safety checkpoints of rollbacks. */
  readonly checkpoint_count: number;
  readonly last_checkpoint_at: string | null;
  readonly last_error: SessionError | null;
  readonly lease: DescribedLease;
}

/** The checkpoints of each session, oldest first, without the safety checkpoints of rollbacks. */
export function checkpointsBySession({
  documents,
}: Pick<SessionView, "documents">): ReadonlyMap<string, readonly CheckpointDocument[]> {
  const found = new Map<string, CheckpointDocument[]>();
  for (const document of documents.filter(({ trigger }) => trigger !== "pre_rollback")) {
    const own = found.get(document.session_id);
    if (own === undefined) found.set(document.session_id, [document]);
    else own.push(document);
  }
  for (const own of found.values()) own.sort(compareAge);
  return found;
}

export function summarizeSession(
  project: Project,
  view: Pick<SessionView, "sessionId">,
  session: SessionDocument,
  checkpoints: readonly CheckpointDocument[],
): SessionSummary {
  const progress = session.workflow ?? NO_PROGRESS;
  const count = progressCount(progress);
  const lastCheckpoint = checkpoints
    .map(({ created_at }) => created_at)
    .reduce<string | null>((last, at) => (last === null || at > last ? at : last), null);
  return {
    id: session.id,
    implicit: session.implicit,
    current: session.id === view.sessionId,
    workflow_type: session.workflow_type ?? null,
    project_name: session.project_name ?? null,
    description: session.description ?? null,
    topic: session.topic ?? null,
    task_id: session.task_id ?? null,
    issue_number: session.issue_number ?? null,
    status: session.status,
    created_at: session.created_at,
    updated_at: session.updated_at,
    ended_at: session.ended_at ?? null,
    archived_at: session.archived_at ?? null,
    last_activity_at:
      lastCheckpoint !== null && lastCheckpoint > session.updated_at
        ? lastCheckpoint
        : session.updated_at,
    branch: session.branch ?? null,
    worktree_id: session.worktree_id ?? null,
    current_phase: progress.current_phase,
    current_step: progress.current_step,
    total_phases: count.total,
    completed_phases: count.completed,
    progress: count,
    checkpoint_count: checkpoints.length,
    last_checkpoint_at: lastCheckpoint,
    last_error: session.last_error ?? null,
    lease: describeLease(project, session.lease ?? NO_LEASE),
  };
}

/** The same of one session, as it is now. */
export async function currentSummary(
  project: Project,
  session: SessionDocument,
): Promise<SessionSummary> {
  const view = await viewSessions(project, undefined);
  const own = checkpointsBySession(view).get(session.id) ?? [];
  return summarizeSession(project, view, view.sessions.get(session.id) ?? session, own);
}

function describeLease(project: Project, lease: Lease): DescribedLease {
  const life = lease.holder === null ? "dead" : project.liveness.lifeOf(lease.holder);
  return { ...lease, alive: life === "unknown" ? null : life === "alive" };
}
