/** Everything about one session, as `session show` prints it. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { isRecord } from "../domain/is-record.ts";
import { latestOf } from "../domain/lineage.ts";
import type { RollbackRecord, SessionDocument } from "../domain/session.ts";
import {
  NO_PROGRESS,
  type ModifiedFile,
  type WorkflowProgress,
} from "../domain/workflow/progress.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import { modifiedFiles } from "./modified-files.ts";
import { findSession } from "./find-session.ts";
import type { Project } from "./project.ts";
import { sessionState } from "./session-state.ts";
import { checkpointsBySession, summarizeSession, type SessionSummary } from "./session-summary.ts";
import { viewSessions, type SessionView } from "./session-view.ts";

export interface InvalidatedCheckpoint {
  readonly id: string;
  /** The rollback that left it behind. */
  readonly invalidated_by: string | null;
}

type FromProgress = Pick<
  WorkflowProgress,
  | "phases"
  | "execution_graph"
  | "outputs"
  | "agent_outputs"
  | "team_state"
  | "message_state"
  | "knowledge_context"
  | "metrics"
  | "iteration_count"
  | "state_label"
>;

/** With what newer and other writers put into the document and its progress. */
export interface SessionDescription extends SessionSummary, FromProgress {
  readonly issue_snapshot: SessionDocument["issue_snapshot"] | null;
  /** What the workflow saved, or what `create --state` did; null: nothing. */
  readonly state: unknown;
  /** What the workflow saved itself, or what differs since its first checkpoint; null: unknown. */
  readonly files_modified: readonly ModifiedFile[] | null;
  readonly rollback_history: readonly RollbackRecord[];
  readonly current_checkpoint: string | null;
  readonly invalidated_checkpoints: readonly InvalidatedCheckpoint[];
  readonly requests: NonNullable<SessionDocument["requests"]>;
  readonly pinned: NonNullable<SessionDocument["pinned"]>;
  readonly definition: SessionDocument["definition"] | null;
  readonly [other: string]: unknown;
}

/** `given`: an id or a part of one; undefined: the session that was started in this work tree. */
export async function describeSession(
  project: Project,
  given: string | undefined,
): Promise<SessionDescription> {
  const session = await findSession(project, given);
  const view = await viewSessions(project, undefined);
  const own = checkpointsBySession(view).get(session.id) ?? [];
  const progress = session.workflow ?? NO_PROGRESS;
  const {
    workflow: _,
    history,
    worktrees: _lines,
    events: _events,
    state: _state,
    ...rest
  } = session;
  return {
    ...rest,
    ...progress,
    ...summarizeSession(project, view, session, own),
    issue_snapshot: session.issue_snapshot ?? null,
    state: (await sessionState(project, session.id, "state")) ?? null,
    outputs: await outputsOf(project, session, progress),
    files_modified: await filesOf(project, session, own, view),
    rollback_history: history,
    current_checkpoint: currentOf(view, session, own)?.id ?? null,
    invalidated_checkpoints: own
      .map((document) => ({ id: document.id, ...view.standing(document) }))
      .filter(({ valid }) => !valid)
      .map(({ id, invalidated_by }) => ({ id, invalidated_by })),
    requests: session.requests ?? [],
    pinned: session.pinned ?? {},
    definition: session.definition ?? null,
  };
}

async function outputsOf(
  project: Project,
  session: SessionDocument,
  progress: WorkflowProgress,
): Promise<WorkflowProgress["outputs"]> {
  const saved = await sessionState(project, session.id, "outputs");
  if (saved === undefined) return progress.outputs;
  // What `create --outputs` saved may be anything.
  return isRecord(saved) ? saved : { outputs: saved };
}

function currentOf(
  view: SessionView,
  session: SessionDocument,
  own: readonly CheckpointDocument[],
): CheckpointDocument | undefined {
  const { worktree_id: place } = session;
  return latestOf(
    own.filter(({ worktree_id }) => place === undefined || worktree_id === place),
    view.standing,
  );
}

/** What the workflow saved itself, what was found at its end, or what differs now. */
async function filesOf(
  project: Project,
  session: SessionDocument,
  own: readonly CheckpointDocument[],
  { standing }: SessionView,
): Promise<readonly ModifiedFile[] | null> {
  const saved = session.workflow?.files_modified ?? [];
  if (saved.length > 0) return saved;
  const atEnd = isEnded(session.status) ? session.files_at_end : undefined;
  return atEnd ?? modifiedFiles(project, session, own, standing);
}
