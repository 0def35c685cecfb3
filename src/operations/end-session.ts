/** Pauses a session or ends it. What somebody else runs is not changed under its owner. */
import { Failure } from "../domain/failure.ts";
import { redact } from "../domain/secrets/redact.ts";
import type { SessionDocument, SessionError } from "../domain/session.ts";
import { releasedLease } from "../domain/workflow/lease.ts";
import { endPhases } from "../domain/workflow/phase-moves.ts";
import { unmergedNodes } from "../domain/workflow/unmerged.ts";
import { mayBecome, type SessionStatus } from "../domain/workflow/session-status.ts";
import { asFailure } from "../domain/system-error.ts";
import { audited } from "./audited.ts";
import { cleanUp } from "./clean-up.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import { findStartedSession } from "./find-session.ts";
import { acquireSession, type Acquisition, type OwnedSession } from "./owned-session.ts";
import { refuseElsewhere } from "./own-work-tree.ts";
import { modifiedFiles } from "./modified-files.ts";
import type { Project } from "./project.ts";
import { checkpointsBySession } from "./session-summary.ts";
import { viewSessions } from "./session-view.ts";
import { askOwner } from "./session-request.ts";
import { withSessionEvent } from "./session-event.ts";
import { statusFailure } from "./session-status-failure.ts";

export type SessionEnd = Extract<SessionStatus, "completed" | "failed" | "abandoned">;

export interface EndRequest {
  readonly to: SessionEnd;
  /** What went wrong. */
  readonly error?: string;
  readonly reason?: string | null;
  /** False: no `session_end` checkpoint is taken first. */
  readonly checkpoint?: boolean;
  /** That one, which was taken already. */
  readonly taken?: string | undefined;
  /** Although results of nodes are not merged: nothing merges them any more then. */
  readonly force?: boolean;
  /** As for `acquireSession`. */
  readonly takeOver?: number;
}

export interface EndedSession {
  readonly session: SessionDocument;
  /** False: it was like that before. */
  readonly changed: boolean;
  readonly checkpointId: string | null;
  /** Checkpoints that the retention rules took at once. */
  readonly removed: readonly string[];
  readonly warnings: readonly string[];
}

export interface PausedSession {
  readonly session: SessionDocument;
  readonly changed: boolean;
  /** Somebody else runs it and was asked to pause. */
  readonly requested: boolean;
}

const PURPOSE: Readonly<Record<SessionEnd, string>> = {
  completed: "complete",
  failed: "fail",
  abandoned: "abandon",
};

/** `given`: a whole id; undefined: the session that was started in this work tree. */
export function endSession(
  project: Project,
  given: string | undefined,
  request: EndRequest,
): Promise<EndedSession> {
  return changing(project, given, request.to, request.reason, async (session) => {
    if (session.status === request.to) return unchanged(session);
    if (request.checkpoint !== false) refuseElsewhere(project, session, "add --no-checkpoint");
    const purpose = PURPOSE[request.to];
    const { owned } = await acquireSession(project, session.id, acquisition(purpose, request));
    try {
      return await end(project, owned, request);
    } finally {
      await owned.release();
    }
  });
}

/** The same for whoever runs it; the session is given back. */
export function endOwnedSession(
  project: Project,
  owned: OwnedSession,
  request: EndRequest,
): Promise<EndedSession> {
  return changing(project, owned.id, request.to, request.reason, () =>
    end(project, owned, request),
  );
}

export interface PauseRequest {
  readonly reason?: string | null;
  /** As for `acquireSession`. */
  readonly takeOver?: number;
}

/** Asks the owner where there is one. */
export function pauseSession(
  project: Project,
  given: string | undefined,
  request: PauseRequest,
): Promise<PausedSession> {
  return changing(project, given, "paused", request.reason, async (session) => {
    if (session.status === "paused") return { ...unchanged(session), requested: false };
    try {
      return {
        session: await pause(project, session.id, request),
        changed: true,
        requested: false,
      };
    } catch (error) {
      if (!(error instanceof Failure && error.code === "session_held")) throw error;
      const asked = await askOwner(project, session.id, "*pause");
      return { session: asked, changed: false, requested: true };
    }
  });
}

/** The same for whoever runs it; the session is given back. */
export function pauseOwnedSession(
  project: Project,
  owned: OwnedSession,
  request: Omit<PauseRequest, "takeOver">,
): Promise<PausedSession> {
  return changing(project, owned.id, "paused", request.reason, async () => ({
    session: await pauseOwned(project, owned, request),
    changed: true,
    requested: false,
  }));
}

async function pause(
  project: Project,
  sessionId: string,
  request: PauseRequest,
): Promise<SessionDocument> {
  const { owned } = await acquireSession(project, sessionId, acquisition("pause", request));
  try {
    return await pauseOwned(project, owned, request);
  } finally {
    await owned.release();
  }
}

function pauseOwned(
  project: Project,
  owned: OwnedSession,
  { reason = null }: PauseRequest,
): Promise<SessionDocument> {
  return owned.update("session is paused", (now) => {
    if (!mayBecome(now.status, "paused")) throw statusFailure(now, "be paused");
    const deed = { reason, details: { became: "paused" } };
    return released(withSessionEvent(project, { ...now, status: "paused" }, deed));
  });
}

function acquisition(purpose: string, { takeOver }: PauseRequest): Acquisition {
  return takeOver === undefined ? { purpose } : { purpose, takeOver };
}

interface Changed {
  readonly session: SessionDocument;
  readonly changed: boolean;
  readonly requested?: boolean;
  readonly checkpointId?: string | null;
}

const COMMANDS: Readonly<Partial<Record<SessionStatus, string>>> = {
  paused: "session pause",
  completed: "session complete",
  failed: "session fail",
  abandoned: "session abandon",
};

async function changing<Result extends Changed>(
  project: Project,
  given: string | undefined,
  to: SessionStatus,
  reason: string | null | undefined,
  change: (session: SessionDocument) => Promise<Result>,
): Promise<Result> {
  const session = await findStartedSession(project, given, { isWhole: to !== "paused" });
  const { id } = session;
  const command = COMMANDS[to];
  return audited(
    project,
    {
      operation: "session",
      ...(command === undefined ? {} : { command }),
      sessionId: id,
      reason,
      outcome: ({ changed, requested, checkpointId }) => {
        if (!changed && requested !== true) return undefined;
        return {
          checkpointIds: checkpointId === undefined || checkpointId === null ? [] : [checkpointId],
          details: { session_id: id, [changed ? "became" : "requested"]: to },
        };
      },
    },
    async () => {
      if (!mayBecome(session.status, to)) throw statusFailure(session, `become ${to}`);
      return await change(session);
    },
  );
}

function unchanged(session: SessionDocument): EndedSession {
  return { session, changed: false, checkpointId: null, removed: [], warnings: [] };
}

async function end(
  project: Project,
  owned: OwnedSession,
  request: EndRequest,
): Promise<EndedSession> {
  const { to, reason = null } = request;
  if (to === "completed" && request.force !== true) refuseUnmerged(owned.document);
  const checkpointId =
    request.checkpoint === false
      ? (request.taken ?? null)
      : await lastCheckpoint(project, owned, request);
  const files = await filesAtEnd(project, owned.document);
  return await project.interruption.holdOff(
    async () => {
      const session = await owned.update(`session is ${to}`, (now) => {
        if (!mayBecome(now.status, to)) throw statusFailure(now, `become ${to}`);
        return released(
          withSessionEvent(
            project,
            { ...ended(project, now, request), ...files },
            {
              reason,
              checkpointIds: checkpointId === null ? [] : [checkpointId],
              details: { became: to },
            },
          ),
        );
      });
      const after = await cleanUpAfter(project, session);
      return { session, changed: true, checkpointId, ...after };
    },
    () => "ending the session",
  );
}

/** What is completed never goes on, and its checkpoints are the first to go. */
function refuseUnmerged({ id, workflow }: SessionDocument): void {
  const nodes = workflow === undefined ? [] : unmergedNodes(workflow);
  if (nodes.length === 0) return;
  throw new Failure(
    "needs_confirmation",
    `results of ${nodes.join(", ")} are not merged: session ${id} is not completed`,
    {
      hint: `\`waymark resume ${id}\` continues the merge. Add --force to complete it without them. Nothing was changed.`,
      details: { nodes },
    },
  );
}

/** Looked at before cleaning up takes the first checkpoints. */
async function filesAtEnd(
  project: Project,
  session: SessionDocument,
): Promise<Pick<SessionDocument, "files_at_end">> {
  const view = await viewSessions(project, session.id);
  const own = checkpointsBySession(view).get(session.id) ?? [];
  const files = await modifiedFiles(project, session, own, view.standing);
  return files === null ? {} : { files_at_end: files };
}

/** Whoever ends a session relies on its last state being there. */
async function lastCheckpoint(
  project: Project,
  owned: OwnedSession,
  { to, reason }: EndRequest,
): Promise<string> {
  try {
    const { checkpoint } = await createCheckpoint(project, {
      sessionId: owned.id,
      trigger: "session_end",
      reason: reason ?? `session ${to}`,
    });
    return checkpoint.id;
  } catch (thrown) {
    const error = asFailure(thrown);
    if (!(error instanceof Failure) || error.code === "interrupted") throw error;
    throw new Failure(
      error.code,
      `session ${owned.id} is not ${to}: its last checkpoint could not be created: ${error.message}`,
      {
        hint: `${error.hint} Add --no-checkpoint to end it without one.`,
        details: error.details,
        cause: error,
      },
    );
  }
}

function ended(project: Project, session: SessionDocument, request: EndRequest): SessionDocument {
  const at = project.clock.now().toISOString();
  const isSuccess = request.to === "completed";
  const error = request.error === undefined ? undefined : errorOf(session, request.error, at);
  const { workflow } = session;
  const problem = isSuccess ? null : (error?.message ?? `the session was ${request.to}`);
  return {
    ...session,
    status: request.to,
    ended_at: at,
    // What went wrong is put away, and kept for a while.
    ...(isSuccess ? {} : { archived_at: at }),
    ...(error === undefined ? {} : { last_error: error }),
    ...(workflow === undefined ? {} : { workflow: endPhases(workflow, problem, at) }),
    requests: [],
  };
}

function errorOf({ workflow }: SessionDocument, message: string, at: string): SessionError {
  return { at, phase: workflow?.current_phase ?? null, node: null, message: redact(message) };
}

/** Nobody runs it from here on. */
function released(session: SessionDocument): SessionDocument {
  return session.lease === undefined
    ? session
    : { ...session, lease: releasedLease(session.lease) };
}

/** Success cleans up. That it could not be done is no reason to say that the session did not end. */
async function cleanUpAfter(
  project: Project,
  session: SessionDocument,
): Promise<Pick<EndedSession, "removed" | "warnings">> {
  const { autoCleanup, onSuccess } = project.config.retention;
  const isDue = session.status === "completed" && autoCleanup && onSuccess !== "keep_all";
  if (!isDue) return { removed: [], warnings: [] };
  try {
    const request = { limits: {}, now: false, sessionId: session.id };
    const done = await cleanUp(project, request, () => Promise.resolve(true));
    return { removed: (done?.removed ?? []).map(({ id }) => id), warnings: [] };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    const why = `the session ended, but its checkpoints were not cleaned up: ${error.message}`;
    return { removed: [], warnings: [`${why}; \`waymark cleanup\` does it`] };
  }
}
