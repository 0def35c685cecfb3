/** Which session a command works with when none is named. */
import { implicitSessionId, type SessionDocument } from "../domain/session.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import { isUnreadableSession, setAsideText } from "../domain/session-version.ts";
import type { StoredSession } from "../ports/session-store.ts";
import { liveHolder } from "./owned-session.ts";
import type { Project } from "./project.ts";

/** The one that new checkpoints go to: the started one until it ends, else the work tree's own. */
export async function sessionToWrite(
  project: Project,
  given: string | undefined,
  warn: (message: string) => void,
): Promise<string> {
  if (given !== undefined) return given;
  const own = implicitSessionId(project.workTree.id);
  const started = project.currentSession.get();
  if (started === undefined) return own;
  const session = await readOrWarn(project, started, warn);
  return session !== undefined && takesCheckpoints(project, session.document) ? started : own;
}

/** A workflow that no process runs waits for `resume`: checkpoints that others take meanwhile are no steps of it. */
function takesCheckpoints(project: Project, session: SessionDocument): boolean {
  if (isEnded(session.status)) return false;
  const isRun = (session.workflow?.execution_graph ?? null) !== null;
  return !isRun || liveHolder(project, session) !== undefined;
}

/** Checkpoints are taken all the same: then they belong to the work tree's own session. */
async function readOrWarn(
  project: Project,
  id: string,
  warn: (message: string) => void,
): Promise<StoredSession | undefined> {
  try {
    return await project.sessions.read(id);
  } catch (error) {
    if (!isUnreadableSession(error)) throw error;
    warn(setAsideText(error, "the work tree's own session is used"));
    return undefined;
  }
}

/** Whether nobody started it: such a session is no workflow. */
export function isImplicit(project: Project, sessionId: string): boolean {
  return sessionId === implicitSessionId(project.workTree.id);
}
