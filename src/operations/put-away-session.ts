/** Puts a session away that nobody will go on with: it is abandoned, archived, and kept as long as failed ones are. */
import type { SessionDocument } from "../domain/session.ts";
import { mayBecome } from "../domain/workflow/session-status.ts";
import { acquireSession } from "./owned-session.ts";
import type { Project } from "./project.ts";
import { withSessionEvent } from "./session-event.ts";
import { statusFailure } from "./session-status-failure.ts";

/** `takeOver`: the token of an owner on another machine that is gone. */
export async function putAway(
  project: Project,
  sessionId: string,
  reason: string,
  takeOver?: number,
): Promise<SessionDocument> {
  const { owned } = await acquireSession(project, sessionId, {
    purpose: "archive",
    ...(takeOver === undefined ? {} : { takeOver }),
  });
  try {
    await owned.update("session is archived", (session) => {
      if (!mayBecome(session.status, "abandoned")) throw statusFailure(session, "be archived");
      const at = project.clock.now().toISOString();
      return withSessionEvent(
        project,
        { ...session, status: "abandoned", ended_at: at, archived_at: at },
        { reason, details: { became: "abandoned" } },
      );
    });
  } finally {
    await owned.release();
  }
  if (project.currentSession.get() === sessionId) project.currentSession.set(undefined);
  return owned.document;
}
