/** Where in its session a new checkpoint goes. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { latestOf } from "../domain/lineage.ts";
import { lineOf } from "../domain/session.ts";
import type { StoredSession } from "../ports/session-store.ts";
import type { Project } from "./project.ts";
import { viewSessions } from "./session-view.ts";

/** Where in the session the new checkpoint goes. */
export async function readPlace(
  project: Project,
  sessionId: string,
): Promise<{ session: StoredSession | undefined; latest: Latest }> {
  const session = await project.sessions.read(sessionId);
  const hinted = await hintedLatest(project, sessionId, session);
  if (hinted !== undefined) return { session, latest: hinted };
  const latest = await latestCheckpoint(project, sessionId);
  const { document, highestSeq: seq } = latest;
  if (document !== undefined && session !== undefined) {
    const { epoch } = lineOf(session.document, project.workTree.id);
    project.latestHint.set(sessionId, { id: document.id, seq, epoch });
  }
  return { session, latest };
}

export interface Latest {
  readonly document: CheckpointDocument | undefined;
  readonly highestSeq: number;
}

/** The hint counts when that checkpoint is there and no rollback, undo or redo came since. */
async function hintedLatest(
  project: Project,
  sessionId: string,
  session: StoredSession | undefined,
): Promise<Latest | undefined> {
  const hint = project.latestHint.get(sessionId);
  if (hint === undefined) return undefined;
  const stored = await project.checkpoints.read(hint.id);
  if (stored?.kind !== "ok") return undefined;
  const { document } = stored;
  const { epoch } = lineOf(session?.document, project.workTree.id);
  const isCurrent =
    document.session_id === sessionId &&
    document.worktree_id === project.workTree.id &&
    hint.epoch === epoch;
  return isCurrent ? { document, highestSeq: hint.seq } : undefined;
}

export function rememberLatest(
  project: Project,
  document: CheckpointDocument,
  latest: Latest,
): void {
  const { session_id, seq, epoch } = document;
  const isSafety = document.trigger === "pre_rollback";
  const id = isSafety ? latest.document?.id : document.id;
  if (id === undefined) return;
  project.latestHint.set(session_id, { id, seq, epoch }, isSafety ? undefined : id);
}

async function latestCheckpoint(project: Project, sessionId: string): Promise<Latest> {
  // Without a hint nothing was taken here before, so nothing was deleted either.
  const mayHaveTrash = project.latestHint.get(sessionId) !== undefined;
  const [view, trash] = await Promise.all([
    viewSessions(project, sessionId),
    mayHaveTrash ? project.checkpoints.listTrash() : [],
  ]);
  const isOwn = (document: CheckpointDocument): boolean =>
    document.session_id === sessionId && document.worktree_id === project.workTree.id;
  const own = view.documents.filter(isOwn);
  // The number of a deleted one is not given again: it may be brought back.
  const deleted = trash.flatMap((stored) => (stored.kind === "ok" ? [stored.document] : []));
  return {
    document: latestOf(own, view.standing),
    highestSeq: [...own, ...deleted.filter(isOwn)].reduce(
      (highest, document) => Math.max(highest, document.seq),
      0,
    ),
  };
}
