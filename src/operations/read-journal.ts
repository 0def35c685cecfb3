/** The journal of a session, or of all of them. */
import { journalOf, type JournalEntry } from "../domain/journal.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

export interface JournalRequest {
  readonly sessionId?: string;
  readonly all?: boolean;
  readonly limit?: number;
}

export async function readJournal(
  project: Project,
  request: JournalRequest,
): Promise<{ readonly sessionId: string; readonly entries: readonly JournalEntry[] }> {
  const view = await viewSessions(project, request.sessionId);
  const isWanted = (sessionId: string): boolean =>
    request.all === true || sessionId === view.sessionId;
  const entries = journalOf(
    view.documents.filter((document) => isWanted(document.session_id)),
    [...view.sessions.values()].filter((session) => isWanted(session.id)),
  );
  return { sessionId: view.sessionId, entries: entries.slice(0, request.limit) };
}
