/** Puts a session away that nobody will go on with: it is abandoned, archived, and kept as long as failed ones are. */
import { recordEvent } from "../domain/session.ts";
import { acquireSession } from "./owned-session.ts";
import type { Project } from "./project.ts";

export async function putAway(project: Project, sessionId: string, reason: string): Promise<void> {
  const { owned } = await acquireSession(project, sessionId, { purpose: "put away" });
  await owned.update("session is put away", (session) => {
    const at = project.clock.now().toISOString();
    const { user } = project.actor;
    const told = recordEvent(session, {
      kind: "session",
      at,
      by: user,
      reason,
      checkpoint_ids: [],
      details: { became: "abandoned" },
    });
    return { ...told, status: "abandoned", ended_at: at, archived_at: at };
  });
  await owned.release();
  if (project.currentSession.get() === sessionId) project.currentSession.set(undefined);
}
