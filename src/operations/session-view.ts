/** The checkpoints of a project, each with its standing in its session. */
import { isExpired, type CheckpointDocument } from "../domain/checkpoint.ts";
import type { CheckpointGlance } from "../domain/checkpoint-glance.ts";
import { damageOf } from "../domain/damage-record.ts";
import { Failure } from "../domain/failure.ts";
import { compareAge, latestOf, standingOf, type Standing } from "../domain/lineage.ts";
import { setAsideText } from "../domain/session-version.ts";
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
  /** Why the session that this is about, or that the work tree is in, cannot be read: then only ids say which checkpoint is meant. */
  readonly setAside: Failure | undefined;
  readonly standing: (document: CheckpointGlance) => Standing;
  /** False: a rollback to it would be refused, because it has expired or is known to be damaged. */
  readonly isUsable: (document: CheckpointGlance) => boolean;
  /** Ids of those that are pinned. */
  readonly pinned: ReadonlySet<string>;
  readonly sessionId: string;
  /** The same where it was asked for; undefined: the whole work tree is meant. */
  readonly askedId: string | undefined;
  readonly worktreeId: string;
}

/** What is named in the place of one that cannot be used: the newest good one of the session in the work tree, else of any. */
export function lastValid(
  view: SessionView,
  isGood: (document: CheckpointDocument) => boolean,
): CheckpointDocument | undefined {
  const good = view.documents.filter(isGood);
  const own = good.filter(
    ({ session_id, worktree_id }) =>
      session_id === view.sessionId && worktree_id === view.worktreeId,
  );
  return latestOf(own, view.standing) ?? latestOf(good, view.standing);
}

/**
 * The started one while it goes on, and after its end as long as nothing newer was taken here: people look at what it left.
 * Else the work tree's own.
 */
function sessionToRead(
  project: Project,
  { documents, sessions }: Pick<SessionView<CheckpointGlance>, "documents" | "sessions">,
): string {
  const own = implicitSessionId(project.workTree.id);
  const session = sessions.get(project.currentSession.get() ?? own);
  if (session === undefined) return own;
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

/** Why the document of the session that is asked for, or that this work tree is in, cannot be read. */
async function whySetAside(
  project: Project,
  sessionId: string | undefined,
): Promise<Failure | undefined> {
  const own = implicitSessionId(project.workTree.id);
  const asked = sessionId ?? project.currentSession.get();
  const why = asked === undefined ? undefined : await whyUnreadable(project, asked);
  if (why !== undefined && asked !== own && sessionId === undefined) {
    project.warn(setAsideText(why, "its checkpoints can be used by their ids"));
  }
  return why ?? (sessionId === undefined ? await whyUnreadable(project, own) : undefined);
}

async function whyUnreadable(project: Project, sessionId: string): Promise<Failure | undefined> {
  try {
    return (await project.sessions.read(sessionId))?.setAside;
  } catch (error) {
    if (error instanceof Failure) return error;
    throw error;
  }
}

/** What is not by id depends on a document that may not be readable: `setAside` says so. */
export function viewSessions(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionView> {
  return viewOf(project, project.checkpoints.list(), sessionId);
}

/** The same for a list that people look at. */
export function glanceAtSessions(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionView<CheckpointGlance>> {
  return viewOf(project, project.checkpoints.glance(), sessionId);
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
  const setAside = unreadable.length === 0 ? undefined : await whySetAside(project, sessionId);
  return {
    stored,
    documents,
    sessions: byId,
    unreadable,
    standing: standingOf(byId),
    isUsable: (document) => !isExpired(document, now) && damageOf(byId, document) === undefined,
    pinned: pinnedIds(byId.values()),
    worktreeId: project.workTree.id,
    setAside,
    askedId: sessionId,
    sessionId: sessionId ?? sessionToRead(project, { documents, sessions: byId }),
  };
}
