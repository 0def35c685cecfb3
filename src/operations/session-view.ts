/** The checkpoints of a project, each with its standing in its session. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { compareAge, standingOf, type Standing } from "../domain/lineage.ts";
import { pinnedIds } from "../domain/session-records.ts";
import { implicitSessionId, type SessionDocument } from "../domain/session.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import type { Project } from "./project.ts";

export interface SessionView {
  readonly stored: readonly StoredCheckpoint[];
  /** Readable ones, oldest first. */
  readonly documents: readonly CheckpointDocument[];
  readonly sessions: ReadonlyMap<string, SessionDocument>;
  readonly standing: (document: CheckpointDocument) => Standing;
  /** Ids of those that are pinned. */
  readonly pinned: ReadonlySet<string>;
  readonly sessionId: string;
}

export async function viewSessions(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionView> {
  const [stored, sessions] = await Promise.all([
    project.checkpoints.list(),
    project.sessions.list(),
  ]);
  const documents = stored
    .flatMap((checkpoint) => (checkpoint.kind === "ok" ? [checkpoint.document] : []))
    .toSorted(compareAge);
  const byId = new Map(sessions.map((session) => [session.document.id, session.document]));
  return {
    stored,
    documents,
    sessions: byId,
    standing: standingOf(byId),
    pinned: pinnedIds(byId.values()),
    sessionId: sessionId ?? implicitSessionId(project.workTree.id),
  };
}
