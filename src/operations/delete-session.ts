/** Deletes a session with its checkpoints: they go to the trash, and it goes for good with the last of them. */
import type { Failure } from "../domain/failure.ts";
import { isImplicitSessionId, newSession, type SessionDocument } from "../domain/session.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import { audited } from "./audited.ts";
import { removeSessions } from "./clean-up-sessions.ts";
import {
  deleteCheckpoints,
  planDeletion,
  type DeleteRequest,
  type Deletion,
  type DeletionPlan,
} from "./delete-checkpoints.ts";
import { holdingCommits, isGitFailure } from "./holding-commits.ts";
import { findStartedSession } from "./find-session.ts";
import { heldFailure, otherHolder } from "./owned-session.ts";
import type { Project } from "./project.ts";
import { withSessionEvent } from "./session-event.ts";
import { viewSessions } from "./session-view.ts";
import { listDeleted } from "./undelete-checkpoints.ts";
import { updateSession } from "./update-session.ts";

export interface SessionDeletionPlan extends DeletionPlan {
  readonly session: SessionDocument;
}

export interface SessionDeletion extends Deletion {
  readonly session: SessionDocument;
  /** False: it is there, archived, until its checkpoints are gone for good. */
  readonly isGone: boolean;
}

/**
 * Refuses what a process runs, what is pinned and, without `force`, what undo, redo or another session needs. Safety checkpoints that
 * alone hold commits are kept. `now`: those in the trash go too. `named` undefined: the session that was started in this work tree.
 */
export async function planSessionDeletion(
  project: Project,
  named: string | undefined,
  { force, now }: { readonly force: boolean; readonly now: boolean },
): Promise<SessionDeletionPlan> {
  const session = await findStartedSession(project, named, { isWhole: true, orDeleted: now });
  const lease = otherHolder(project, session);
  if (lease !== undefined) throw heldFailure(project, session.id, lease);
  const view = await viewSessions(project, session.id);
  const own = view.stored.filter(
    (stored) => stored.kind === "ok" && stored.document.session_id === session.id,
  );
  const deleted = now ? await listDeleted(project) : [];
  const inTrash = deleted.filter(
    ({ id, sessionId, holdsCommitsAlone }) =>
      sessionId === session.id && !holdsCommitsAlone && !own.some((stored) => stored.id === id),
  );
  const holders = await holdingCommits(project, view.documents);
  const kept = own.filter(({ id }) => holders.has(id)).map(({ id }) => id);
  const plan = await planDeletion(
    project,
    view,
    [...own.filter(({ id }) => !holders.has(id)), ...inTrash.map(({ stored }) => stored)],
    force,
    session.id,
  );
  const keptWarnings = kept.map(
    (id) =>
      `${id} is kept, as it is the only reference to some commits; \`waymark delete ${id}\` deletes it`,
  );
  return { session, ...plan, warnings: [...plan.warnings, ...keptWarnings] };
}

/** Why its document cannot be read. */
export async function damagedSession(
  { sessions }: Project,
  id: string,
): Promise<Failure | undefined> {
  const { unreadable } = await sessions.listAll();
  return unreadable.find(
    ({ code, details }) =>
      code === "session_damaged" && details["session"] === id && !isImplicitSessionId(id),
  );
}

/**
 * So that it can be deleted like any other: its last good version, or an empty one, is in its place afterwards, and the damaged one is kept
 * as by `doctor --fix`.
 */
export async function replaceDamaged({ sessions, clock }: Project, id: string): Promise<void> {
  await sessions.repair(id);
  if ((await sessions.read(id)) !== undefined) return;
  const empty = { ...newSession(id, clock.now().toISOString()), implicit: false };
  await sessions.write(empty, undefined, "its document was damaged");
}

export function deleteSession(
  project: Project,
  plan: SessionDeletionPlan,
  request: DeleteRequest,
): Promise<SessionDeletion> {
  const audit = {
    operation: "session" as const,
    command: "session delete",
    sessionId: plan.session.id,
    reason: request.reason,
    outcome: ({ deleted }: SessionDeletion) => ({
      checkpointIds: deleted,
      details: { became: "deleted" },
    }),
  };
  return audited(project, audit, () =>
    project.interruption.holdOff(
      () => deleteToTheEnd(project, plan, request),
      () => "finishing the deletion",
    ),
  );
}

/** Ctrl+C in a terminal ends git too: what is left is done then. */
async function deleteToTheEnd(
  project: Project,
  plan: SessionDeletionPlan,
  request: DeleteRequest,
): Promise<SessionDeletion> {
  try {
    return await deletePlanned(project, plan, request);
  } catch (error) {
    if (!project.interruption.isAsked || !isGitFailure(error)) throw error;
  }
  const { session } = plan;
  const deleted = plan.stored.map(({ id }) => id);
  if ((await project.sessions.read(session.id)) === undefined) {
    return { session, deleted, goneForGood: deleted, restorableUntil: null, isGone: true };
  }
  const rest = await deletePlanned(project, plan, request);
  return { ...rest, deleted, goneForGood: request.now ? deleted : rest.goneForGood };
}

async function deletePlanned(
  project: Project,
  plan: SessionDeletionPlan,
  request: DeleteRequest,
): Promise<SessionDeletion> {
  const { id } = plan.session;
  const at = project.clock.now().toISOString();
  const archived = await updateSession(project, id, "session is deleted", (session) => {
    const lease = otherHolder(project, session);
    if (lease !== undefined) throw heldFailure(project, id, lease);
    const { status, ended_at } = session;
    return withSessionEvent(
      project,
      {
        ...session,
        status: isEnded(status) && status !== "failed" ? status : "abandoned",
        ended_at: ended_at ?? at,
        archived_at: at,
        deleted_at: at,
      },
      { reason: request.reason, details: { became: "deleted" } },
    );
  });
  if (project.currentSession.get() === id) project.currentSession.set(undefined);
  const deletion = await deleteCheckpoints(project, plan, request);
  const gone = (await hasCheckpoints(project, id))
    ? []
    : await removeSessions(project, [{ id, reason: "deleted explicitly" }]);
  return { ...deletion, session: archived ?? plan.session, isGone: gone.length > 0 };
}

/** In the trash too: as long as one can be restored, its session is there. */
async function hasCheckpoints(project: Project, sessionId: string): Promise<boolean> {
  const { documents } = await viewSessions(project, sessionId);
  return (
    documents.some((document) => document.session_id === sessionId) ||
    (await listDeleted(project)).some((deleted) => deleted.sessionId === sessionId)
  );
}
