/** The sessions of a project, latest first. */
import type { Failure } from "../domain/failure.ts";
import type { SessionStatus } from "../domain/workflow/session-status.ts";
import type { Project } from "./project.ts";
import { checkpointsBySession, summarizeSession, type SessionSummary } from "./session-summary.ts";
import { viewSessions } from "./session-view.ts";

export interface SessionListRequest {
  readonly workflowType?: string;
  readonly projectName?: string;
  readonly status?: SessionStatus;
  readonly limit?: number;
  /** Also those that were put away, and a work tree's own without checkpoints. */
  readonly all?: boolean;
}

export interface SessionList {
  readonly sessions: readonly SessionSummary[];
  /** How many match, and are not shown because they were put away. */
  readonly archived: number;
  /** Why each of those that cannot be read cannot. */
  readonly unreadable: readonly Failure[];
}

export async function listSessions(
  project: Project,
  request: SessionListRequest,
): Promise<SessionList> {
  // Those that cannot be read are in the answer.
  const view = await viewSessions({ ...project, warn: () => undefined }, undefined);
  const checkpoints = checkpointsBySession(view);
  const held = new Set(view.documents.map(({ session_id }) => session_id));
  const matching = [...view.sessions.values()]
    .map((session) => summarizeSession(project, view, session, checkpoints.get(session.id) ?? []))
    // In the trash: restoring a checkpoint restores the session.
    .filter(({ id }) => view.sessions.get(id)?.deleted_at === undefined || held.has(id))
    .filter((session) => matches(session, request))
    .toSorted((left, right) => (left.last_activity_at < right.last_activity_at ? 1 : -1));
  const isShown = ({ implicit, archived_at, status, checkpoint_count }: SessionSummary): boolean =>
    request.all === true ||
    (implicit
      ? checkpoint_count > 0
      : // What failed is archived, and can be resumed all the same.
        archived_at === null || status === "failed" || status === request.status);
  const shown = matching.filter(isShown);
  return {
    sessions: shown.slice(0, request.limit),
    archived: matching.filter((session) => !session.implicit && !isShown(session)).length,
    unreadable: view.unreadable,
  };
}

function matches(session: SessionSummary, request: SessionListRequest): boolean {
  const { workflowType, projectName, status } = request;
  return (
    isNamed(session.workflow_type, workflowType) &&
    isNamed(session.project_name, projectName) &&
    (status === undefined || session.status === status)
  );
}

/** However it is written: `implement` is `Implement`. */
function isNamed(name: string | null, wanted: string | undefined): boolean {
  return wanted === undefined || name?.toLowerCase() === wanted.toLowerCase();
}
