/** The checkpoints of a project, each with its standing in its session. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { compareAge, standingOf, type Standing } from "../domain/lineage.ts";
import { pinnedIds } from "../domain/session-records.ts";
import { implicitSessionId, type SessionDocument } from "../domain/session.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
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

/**
 * The started one while it goes on, and after its end as long as nothing newer was taken here: people look at what it left.
 * Else the work tree's own.
 */
function sessionToRead(
  project: Project,
  documents: readonly CheckpointDocument[],
  sessions: ReadonlyMap<string, SessionDocument>,
): string {
  const own = implicitSessionId(project.workTree.id);
  const started = project.currentSession.get();
  const session = started === undefined ? undefined : sessions.get(started);
  if (session === undefined) return own;
  if (!isEnded(session.status)) return session.id;
  const here = documents.filter(
    ({ worktree_id, trigger }) => worktree_id === project.workTree.id && trigger !== "pre_rollback",
  );
  const newest = here.reduce<CheckpointDocument | undefined>(
    (last, document) =>
      last === undefined || last.created_at <= document.created_at ? document : last,
    undefined,
  );
  return newest?.session_id === session.id ? session.id : own;
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
    sessionId: sessionId ?? sessionToRead(project, documents, byId),
  };
}
