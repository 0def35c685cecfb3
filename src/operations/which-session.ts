/** Which session a command works with when none is named. */
import { implicitSessionId } from "../domain/session.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import type { Project } from "./project.ts";

/** The one that new checkpoints go to: the started one while it goes on, else the work tree's own. */
export async function sessionToWrite(project: Project, given: string | undefined): Promise<string> {
  if (given !== undefined) return given;
  const own = implicitSessionId(project.workTree.id);
  const started = project.currentSession.get();
  if (started === undefined) return own;
  const session = await project.sessions.read(started);
  return session === undefined || isEnded(session.document.status) ? own : started;
}

/** Whether nobody started it: such a session is no workflow. */
export function isImplicit(project: Project, sessionId: string): boolean {
  return sessionId === implicitSessionId(project.workTree.id);
}
