/** Adds a rollback to the session's journal. */
import { recordRollback, type FinishedRollback } from "../domain/session.ts";
import type { Project } from "./project.ts";
import { updateSession } from "./update-session.ts";

export async function writeJournal(project: Project, finished: FinishedRollback): Promise<void> {
  const { record, sessionId } = finished;
  await updateSession(project, sessionId, `${record.kind} to ${record.to_id}`, (session) =>
    session.history.some((entry) => entry.id === record.id)
      ? undefined
      : recordRollback(session, finished),
  );
}

export async function isJournaled(project: Project, rollbackId: string): Promise<boolean> {
  const sessions = await project.sessions.list();
  return sessions.some(({ document }) => document.history.some((entry) => entry.id === rollbackId));
}
