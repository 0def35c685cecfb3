/** Asks something of whoever runs a session: it is left in the session, and the owner looks there. */
import { Failure } from "../domain/failure.ts";
import type { SessionRequest } from "../domain/session.ts";
import { liveHolder, notFound } from "./owned-session.ts";
import type { Project } from "./project.ts";
import { updateSession } from "./update-session.ts";

/** An owner that answers none of so many is not listening. */
const MOST_WAITING = 50;

export async function requestControl(
  project: Project,
  sessionId: string,
  command: string,
): Promise<SessionRequest> {
  const request: SessionRequest = {
    id: `${project.clock.now().getTime().toString(36)}-${project.clock.fourDigits()}`,
    at: project.clock.now().toISOString(),
    by: project.actor.user,
    command,
  };
  await updateSession(project, sessionId, `asked: ${command}`, (session) => {
    if (session.implicit) throw notFound(sessionId);
    if (liveHolder(project, session) === undefined) throw nobodyRuns(sessionId);
    const waiting = session.requests ?? [];
    if (waiting.length >= MOST_WAITING) throw notListening(sessionId);
    return { ...session, updated_at: request.at, requests: [...waiting, request] };
  });
  return request;
}

function nobodyRuns(sessionId: string): Failure {
  return new Failure("session_status", `nobody runs session ${sessionId}`, {
    hint: `\`waymark resume ${sessionId}\` goes on with it.`,
  });
}

function notListening(sessionId: string): Failure {
  return new Failure("repository_busy", `whoever runs ${sessionId} does not answer`, {
    hint: `\`waymark session show ${sessionId}\` says who that is.`,
  });
}
