/** The journal of a session, or of all of them. */
import { isCancelled, isPaused, journalOf, type JournalEntry } from "../domain/journal.ts";
import type { TriggerFilter } from "../domain/trigger-filter.ts";
import { isOfKind } from "./list-checkpoints.ts";
import type { Project } from "./project.ts";
import { viewSessions, type SessionView } from "./session-view.ts";

export interface JournalRequest {
  readonly sessionId?: string;
  readonly all?: boolean;
  /** Only what did not succeed. */
  readonly failed?: boolean;
  /** Only what was done at this time or later. */
  readonly since?: string;
  /** Only what is about checkpoints of this kind that are still there. */
  readonly taskId?: string;
  readonly phase?: string;
  readonly trigger?: TriggerFilter;
  readonly limit?: number;
}

export async function readJournal(
  project: Project,
  request: JournalRequest,
): Promise<{ readonly sessionId: string; readonly entries: readonly JournalEntry[] }> {
  const view = await viewSessions(project, request.sessionId);
  const { since = "", all, failed } = request;
  const audit = project.audit.read({ since });
  const isFiltered = [request.taskId, request.phase, request.trigger].some(
    (value) => value !== undefined,
  );
  const chosen = new Set(
    isFiltered
      ? view.documents.filter((one) => isOfKind(one, request)).map(({ id }) => id)
      : undefined,
  );
  const own = view.askedId === undefined ? sessionsHere(project, view) : new Set([view.askedId]);
  // Of all sessions first: what is in the audit log of this one may be in the journal of another.
  const entries = journalOf(view.documents, [...view.sessions.values()], audit).filter(
    (entry) =>
      (all === true || own.has(entry.session_id)) &&
      entry.at >= since &&
      !(failed === true && (entry.ok || isCancelled(entry) || isPaused(entry))) &&
      (!isFiltered || entry.checkpoint_ids.some((id) => chosen.has(id))),
  );
  return { sessionId: view.sessionId, entries: entries.slice(0, request.limit) };
}

/** Those that have a part in the time line of this work tree. */
function sessionsHere(project: Project, { documents, sessions, sessionId }: SessionView) {
  const { id } = project.workTree;
  return new Set([
    sessionId,
    ...documents.filter((one) => one.worktree_id === id).map(({ session_id }) => session_id),
    ...[...sessions.values()]
      .filter((session) => session.worktree_id === id || session.worktrees[id] !== undefined)
      .map((session) => session.id),
  ]);
}
