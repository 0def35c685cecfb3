/** Adds a rollback to the session's journal. */
import { Failure } from "../domain/failure.ts";
import { newSession, recordRollback, type FinishedRollback } from "../domain/session.ts";
import type { Project } from "./project.ts";

/** Other writers get in between; each try starts from what they wrote. */
const TRIES = 50;

export async function writeJournal(project: Project, finished: FinishedRollback): Promise<void> {
  const { record, sessionId } = finished;
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stored = await project.sessions.read(sessionId);
    const session = stored?.document ?? newSession(sessionId, record.at);
    if (session.history.some((entry) => entry.id === record.id)) return;
    const written = await project.sessions.write(
      recordRollback(session, finished),
      stored?.version,
      `${record.kind} to ${record.to_id}`,
    );
    if (written) return;
  }
  throw new Failure("repository_busy", `the journal of session ${sessionId} could not be written`);
}

export async function isJournaled(project: Project, rollbackId: string): Promise<boolean> {
  const sessions = await project.sessions.list();
  return sessions.some(({ document }) => document.history.some((entry) => entry.id === rollbackId));
}
