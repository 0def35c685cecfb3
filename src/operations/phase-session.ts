/** The session that a phase belongs to: the one that goes on here, or a new one. */
import { heldFailure, isCommandOf, liveHolder, notFound } from "./owned-session.ts";
import type { SessionDocument } from "../domain/session.ts";
import {
  isOfProcess,
  isOver,
  NO_PROGRESS,
  type PhaseProgress,
} from "../domain/workflow/progress.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import type { Project } from "./project.ts";
import { startSession } from "./start-session.ts";

/** What a session is called that only phases make. */
export const PHASES_TYPE = "phases";

export interface PhaseSession {
  readonly document: SessionDocument;
  /** Somebody else runs it, and this process is part of that: only checkpoints are taken. */
  readonly isInside: boolean;
  /** The phase that was cut off: by a signal, or because its process was killed. */
  readonly unfinished: PhaseProgress | undefined;
  /** A rollback went back into that phase: to run it again is what comes next. */
  readonly isRolledBack: boolean;
}

export interface PhaseSessionRequest {
  readonly sessionId?: string;
  readonly taskId?: string;
  readonly issueNumber?: number;
  readonly description?: string;
}

export async function phaseSession(
  project: Project,
  request: PhaseSessionRequest,
): Promise<PhaseSession> {
  return (
    (await goingOn(project, request.sessionId)) ?? {
      document: await begin(project, request),
      isInside: false,
      unfinished: undefined,
      isRolledBack: false,
    }
  );
}

/** The one that goes on here; undefined: none does. */
export async function goingOn(
  project: Project,
  sessionId: string | undefined,
): Promise<PhaseSession | undefined> {
  const found = await existing(project, sessionId);
  if (found === undefined) return undefined;
  const lease = liveHolder(project, found);
  const isInside = lease !== undefined && isCommandOf(project, found);
  if (lease !== undefined && !isInside) throw heldFailure(project, found.id, lease);
  const unfinished = isInside ? undefined : cutOff(found);
  const isRolledBack = unfinished !== undefined && wentBackInto(found, unfinished);
  return { document: found, isInside, unfinished, isRolledBack };
}

/** Of a rollback that restored progress: one of files or paths leaves the epoch. */
function wentBackInto({ history }: SessionDocument, { started_at: since }: PhaseProgress): boolean {
  const last = history.findLast(({ epoch_after, epoch_before }) => epoch_after !== epoch_before);
  return last !== undefined && last.kind !== "undo" && last.at > (since ?? "");
}

function cutOff({ status, workflow = NO_PROGRESS }: SessionDocument): PhaseProgress | undefined {
  const { phases, current_phase } = workflow;
  const running = phases.find(isOfProcess);
  if (running !== undefined || status !== "interrupted") return running;
  return phases.find(({ name, status: standing }) => name === current_phase && !isOver(standing));
}

async function existing(
  project: Project,
  sessionId: string | undefined,
): Promise<SessionDocument | undefined> {
  const wanted = sessionId ?? project.currentSession.get();
  if (wanted === undefined) return undefined;
  const found = (await project.sessions.read(wanted))?.document;
  if (found !== undefined && !found.implicit && !isEnded(found.status)) return found;
  if (sessionId === undefined) return undefined;
  throw notFound(sessionId);
}

function begin(project: Project, request: PhaseSessionRequest): Promise<SessionDocument> {
  const { taskId, issueNumber, description } = request;
  return startSession(project, {
    workflowType: PHASES_TYPE,
    ...(taskId === undefined ? {} : { taskId }),
    ...(issueNumber === undefined ? {} : { issueNumber }),
    ...(description === undefined ? {} : { description }),
  });
}
