/** Changes a session document; a change that somebody else made in between is kept. */
import { Failure } from "../domain/failure.ts";
import { newSession, type SessionDocument } from "../domain/session.ts";
import { redact, redactChanges } from "../domain/secrets/redact.ts";
import type { WriteOptions } from "../ports/session-store.ts";
import type { Project } from "./project.ts";

/** Other writers get in between; each try starts from what they wrote. */
const TRIES = 50;

/** `change` may be called several times; undefined: nothing to change. What looks like a secret is not written. */
export async function updateSession(
  project: Project,
  sessionId: string,
  message: string,
  change: (session: SessionDocument) => SessionDocument | undefined,
  options: WriteOptions = {},
): Promise<SessionDocument | undefined> {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const stored = await project.sessions.read(sessionId);
    const at = project.clock.now().toISOString();
    const changed = change(stored?.document ?? newSession(sessionId, at));
    if (changed === undefined) return stored?.document;
    const clean = withoutSecrets(stored?.document, changed);
    const said = redact(message);
    if (await project.sessions.write(clean, stored?.version, said, options)) return clean;
  }
  throw new Failure("repository_busy", `session ${sessionId} could not be written`, {
    hint: "Other processes keep changing it. Run the command again later.",
  });
}

/** Nodes, agents and people fill the workflow with whatever they say: commit subjects, errors, names of files. */
function withoutSecrets(
  before: SessionDocument | undefined,
  session: SessionDocument,
): SessionDocument {
  const { workflow } = session;
  if (workflow === undefined) return session;
  const clean = redactChanges(before?.workflow, workflow) as typeof workflow;
  return { ...session, workflow: clean };
}
