/** The checkpoints of a project, each with its standing in its session. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import type { CheckpointGlance } from "../domain/checkpoint-glance.ts";
import { damageOf } from "../domain/damage-record.ts";
import { Failure } from "../domain/failure.ts";
import { compareAge, standingOf, type Standing } from "../domain/lineage.ts";
import { pinnedIds } from "../domain/session-records.ts";
import { implicitSessionId, type SessionDocument } from "../domain/session.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import type { StoredCheckpoint } from "../ports/checkpoint-store.ts";
import type { Project } from "./project.ts";

export interface SessionView<Document extends CheckpointGlance = CheckpointDocument> {
  readonly stored: readonly StoredCheckpoint<Document>[];
  /** Readable ones, oldest first. */
  readonly documents: readonly Document[];
  readonly sessions: ReadonlyMap<string, SessionDocument>;
  /** Why each of the others cannot be read. */
  readonly unreadable: readonly Failure[];
  readonly standing: (document: CheckpointGlance) => Standing;
  /** False: a rollback to it would be refused, because it has expired or is known to be damaged. */
  readonly isUsable: (document: CheckpointGlance) => boolean;
  /** Ids of those that are pinned. */
  readonly pinned: ReadonlySet<string>;
  readonly sessionId: string;
}

/**
 * The started one while it goes on, and after its end as long as nothing newer was taken here: people look at what it left.
 * Else the work tree's own.
 */
async function sessionToRead(
  project: Project,
  {
    documents,
    sessions,
    unreadable,
  }: Pick<SessionView<CheckpointGlance>, "documents" | "sessions" | "unreadable">,
): Promise<string> {
  const own = implicitSessionId(project.workTree.id);
  const started = project.currentSession.get();
  if (started === undefined) return own;
  const session = sessions.get(started);
  if (session === undefined) {
    const isThere = unreadable.length > 0 && (await whyUnreadable(project, started)) !== undefined;
    return isThere ? started : own;
  }
  if (!isEnded(session.status)) return session.id;
  const here = documents.filter(
    ({ worktree_id, trigger }) => worktree_id === project.workTree.id && trigger !== "pre_rollback",
  );
  const newest = here.reduce<CheckpointGlance | undefined>(
    (last, document) =>
      last === undefined || last.created_at <= document.created_at ? document : last,
    undefined,
  );
  return newest?.session_id === session.id ? session.id : own;
}

async function whyUnreadable(project: Project, sessionId: string): Promise<Failure | undefined> {
  try {
    await project.sessions.read(sessionId);
    return undefined;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** Fails when the session that it is about cannot be read: another one must not stand in for it. */
export async function viewSessions(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionView> {
  const view = await viewReadable(project, sessionId);
  await refuseUnreadableSession(project, view, view.sessionId);
  return view;
}

/** The same for a list that people look at. */
export async function glanceAtSessions(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionView<CheckpointGlance>> {
  const view = await viewOf(project, project.checkpoints.glance(), sessionId);
  await refuseUnreadableSession(project, view, view.sessionId);
  return view;
}

export async function refuseUnreadableSession(
  project: Project,
  { sessions, unreadable }: Pick<SessionView, "sessions" | "unreadable">,
  sessionId: string,
): Promise<void> {
  if (unreadable.length === 0 || sessions.has(sessionId)) return;
  const why = await whyUnreadable(project, sessionId);
  if (why !== undefined) throw why;
}

/** The same for those that look at everything: what cannot be read is in `unreadable`. */
export function viewReadable(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionView> {
  return viewOf(project, project.checkpoints.list(), sessionId);
}

async function viewOf<Document extends CheckpointGlance>(
  project: Project,
  checkpoints: Promise<StoredCheckpoint<Document>[]>,
  sessionId: string | undefined,
): Promise<SessionView<Document>> {
  const [stored, { sessions, unreadable }] = await Promise.all([
    checkpoints,
    project.sessions.listAll(),
  ]);
  const documents = stored
    .flatMap((checkpoint) => (checkpoint.kind === "ok" ? [checkpoint.document] : []))
    .toSorted(compareAge);
  const byId = new Map(sessions.map((session) => [session.document.id, session.document]));
  const now = project.clock.now();
  return {
    stored,
    documents,
    sessions: byId,
    unreadable,
    standing: standingOf(byId),
    isUsable: (document) => !isExpired(document, now) && damageOf(byId, document) === undefined,
    pinned: pinnedIds(byId.values()),
    sessionId:
      sessionId ?? (await sessionToRead(project, { documents, sessions: byId, unreadable })),
  };
}
