/** Adds what was done to checkpoints to the journal of the work tree's own session. */
import { counted } from "../domain/counted.ts";
import {
  implicitSessionId,
  recordEvent,
  type EventKind,
  type JournalEvent,
} from "../domain/session.ts";
import type { Project } from "./project.ts";
import { updateSession } from "./update-session.ts";

export async function recordJournalEvent(
  project: Project,
  kind: EventKind,
  checkpointIds: readonly string[],
  details: NonNullable<JournalEvent["details"]>,
): Promise<void> {
  const event: JournalEvent = {
    kind,
    at: project.clock.now().toISOString(),
    by: project.actor.user,
    reason: null,
    checkpoint_ids: checkpointIds,
    details,
  };
  const sessionId = implicitSessionId(project.workTree.id);
  const count = checkpointIds.length;
  const message = count === 0 ? kind : `${kind} of ${counted(count, "checkpoint")}`;
  await updateSession(project, sessionId, message, (session) => recordEvent(session, event));
}
