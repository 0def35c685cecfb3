/** The entry in a session's journal about what somebody did to the session itself. */
import { recordEvent, type SessionDocument } from "../domain/session.ts";
import type { Project } from "./project.ts";

export interface SessionDeed {
  readonly reason?: string | null;
  readonly checkpointIds?: readonly string[];
  /** `became: "completed"`, `saved: ["state"]`, `requested: "*pause"` … */
  readonly details: Readonly<Record<string, unknown>>;
}

export function withSessionEvent(
  project: Project,
  session: SessionDocument,
  { reason = null, checkpointIds = [], details }: SessionDeed,
): SessionDocument {
  return recordEvent(session, {
    kind: "session",
    at: project.clock.now().toISOString(),
    by: project.actor.user,
    reason,
    checkpoint_ids: checkpointIds,
    details,
  });
}
