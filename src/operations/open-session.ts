/** A session for a program to run: one that is there, taken up again, or a new one. */
import type { SessionDocument } from "../domain/session.ts";
import { mayBecome } from "../domain/workflow/session-status.ts";
import { withoutRunning } from "../domain/workflow/take-up.ts";
import { findStartedSession } from "./find-session.ts";
import { acquireSession, type Acquisition, type OwnedSession } from "./owned-session.ts";
import { refuseElsewhere } from "./own-work-tree.ts";
import type { Project } from "./project.ts";
import { refuseOtherRun } from "./other-run.ts";
import { withSessionEvent } from "./session-event.ts";
import { statusFailure } from "./session-status-failure.ts";
import { startSession, type StartRequest } from "./start-session.ts";

export interface OpenRequest extends Acquisition {
  /** An id or a part of one; undefined: the session that was started in this work tree. */
  readonly id: string | undefined;
  /** Begins one: always without an `id`, and with one when there is none of exactly this id. */
  readonly start: Omit<StartRequest, "id"> | undefined;
}

export interface Opened {
  readonly owned: OwnedSession;
  readonly isNew: boolean;
}

/** Nobody else starts or takes up a session in this work tree at the same time; whatever fails, the session is given back. */
export async function openOwnedSession(project: Project, request: OpenRequest): Promise<Opened> {
  const { id, start, ...acquisition } = request;
  const place = await project.runFiles.enter();
  try {
    const found = await existing(project, request);
    if (found === undefined && start !== undefined) {
      await refuseOtherRun(project);
      const begun = await startSession(project, { ...start, ...(id === undefined ? {} : { id }) });
      const { owned } = await acquireSession(project, begun.id, acquisition);
      return { owned, isNew: true };
    }
    const session = found ?? (await findStartedSession(project, id));
    refuseUnusable(project, session);
    await refuseOtherRun(project, session.id);
    const { owned } = await acquireSession(project, session.id, acquisition);
    return { owned: await takenUp(project, owned), isNew: false };
  } finally {
    place.leave();
  }
}

/** Of exactly this id, where another one would be begun otherwise. */
async function existing(
  project: Project,
  { id, start }: OpenRequest,
): Promise<SessionDocument | undefined> {
  if (id === undefined || start === undefined) return undefined;
  return (await project.sessions.read(id))?.document;
}

function refuseUnusable(project: Project, session: SessionDocument): void {
  if (!mayBecome(session.status, "active")) throw statusFailure(session, "be opened");
  refuseElsewhere(project, session, "move it here with `waymark resume`");
}

/** What was cut off is not running any more. */
async function takenUp(project: Project, owned: OwnedSession): Promise<OwnedSession> {
  try {
    await owned.update("the session is resumed", (now) => {
      if (!mayBecome(now.status, "active")) throw statusFailure(now, "be opened");
      const { ended_at: _ended, archived_at: _archived, workflow, ...rest } = now;
      const active: SessionDocument = {
        ...rest,
        status: "active",
        ...(workflow === undefined ? {} : { workflow: withoutRunning(workflow) }),
      };
      return now.status === "active"
        ? active
        : withSessionEvent(project, active, { details: { became: "active" } });
    });
    project.currentSession.set(owned.id);
    return owned;
  } catch (error) {
    await owned.release();
    throw error;
  }
}
