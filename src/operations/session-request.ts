/** Asks something of whoever runs a session; the owner looks at its requests between steps. */
import type { SessionDocument } from "../domain/session.ts";
import type { Project } from "./project.ts";
import { withSessionEvent } from "./session-event.ts";
import { updateSession } from "./update-session.ts";

/** `command`: as the observer takes it. One that waits for an answer is not asked twice. */
export async function askOwner(
  project: Project,
  sessionId: string,
  command: string,
): Promise<SessionDocument> {
  let after: SessionDocument | undefined;
  await updateSession(project, sessionId, `asked: ${command}`, (session) => {
    const before = session.requests ?? [];
    after = session;
    if (before.some((request) => request.command === command)) return undefined;
    const at = project.clock.now();
    const request = {
      id: `rq-${at.getTime().toString(36)}-${project.clock.fourDigits()}`,
      at: at.toISOString(),
      by: project.actor.user,
      command,
    };
    after = withSessionEvent(
      project,
      { ...session, requests: [...before, request] },
      { details: { requested: command } },
    );
    return after;
  });
  if (after === undefined) throw new Error(`session ${sessionId} was not read`);
  return after;
}
