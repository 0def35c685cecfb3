/** What a checkpoint holds of its session: how far the workflow had come, and how the session stood. */
import { isInstant } from "../json-shape.ts";
import { isRecord } from "../is-record.ts";
import { replaceKeys } from "../state-keys.ts";
import type { SessionDocument, SessionError } from "../session.ts";
import { NO_PROGRESS, type WorkflowProgress } from "./progress.ts";
import { SESSION_ERROR } from "../session-shape.ts";
import { PROGRESS_SHAPE } from "./progress-shape.ts";
import { isEnded, isSessionStatus, type SessionStatus } from "./session-status.ts";

/** As `workflow.json` of a checkpoint's tree has it. */
export interface HeldWorkflow extends WorkflowProgress {
  readonly session_status: string;
  readonly session_ended_at?: string;
  readonly session_archived_at?: string;
  readonly session_last_error?: SessionError;
}

/** Undefined: the session is no workflow. */
export function heldWorkflow(session: SessionDocument | undefined): HeldWorkflow | undefined {
  if (session?.workflow === undefined) return undefined;
  const { workflow, status, ended_at, archived_at, last_error: error } = session;
  return {
    ...workflow,
    session_status: status,
    ...(ended_at === undefined ? {} : { session_ended_at: ended_at }),
    ...(archived_at === undefined ? {} : { session_archived_at: archived_at }),
    ...(error === undefined || error === null ? {} : { session_last_error: error }),
  };
}

export interface RestoredWorkflow {
  readonly progress: WorkflowProgress;
  readonly status: SessionStatus;
  readonly lastError: SessionError | null;
  /** When it had ended and was put away, where it had. */
  readonly end: Pick<SessionDocument, "ended_at" | "archived_at">;
}

/**
 * The session's part of a rollback. What was going on then is going on no more: it waits for somebody to resume it. Undefined:
 * this is no workflow. `asBefore`: nothing was going on then, so it stands as it stood.
 */
export function restoredWorkflow(value: unknown, asBefore = false): RestoredWorkflow | undefined {
  if (!isRecord(value)) return undefined;
  const { session_status, session_ended_at, session_archived_at, session_last_error, ...rest } =
    value;
  const isKnownStatus = typeof session_status === "string" && isSessionStatus(session_status);
  const then = isKnownStatus ? session_status : "paused";
  const progress = progressOf(rest);
  const isError = SESSION_ERROR(session_last_error) === undefined;
  const lastError = isError ? (session_last_error as SessionError) : null;
  if (!isEnded(then)) {
    return { progress, status: asBefore ? then : "paused", lastError, end: {} };
  }
  return {
    progress,
    status: then,
    lastError,
    end: {
      ...(isTime(session_ended_at) ? { ended_at: session_ended_at } : {}),
      ...(isTime(session_archived_at) ? { archived_at: session_archived_at } : {}),
    },
  };
}

/**
 * The progress with the state and outputs that were given to `create`: a workflow has one state, the one that was saved last, whoever saved
 * it. `keys`: only these of the state.
 */
export function withSavedState<Workflow extends Readonly<Record<string, unknown>>>(
  workflow: Workflow,
  saved: ReadonlyMap<string, unknown>,
  keys: readonly string[] | null,
): Workflow {
  const given = (["state", "outputs"] as const).flatMap((name) => {
    if (!saved.has(name)) return [];
    const isLimited = keys !== null && name === "state";
    const value = isLimited ? replaceKeys(workflow[name], saved.get(name), keys) : saved.get(name);
    return PROGRESS_SHAPE[name](value) === undefined ? [[name, value] as const] : [];
  });
  return { ...workflow, ...Object.fromEntries(given) };
}

/** As it is compared with another: a rollback pauses what was running, which is no difference of the workflow. */
export function comparableWorkflow(value: unknown): unknown {
  if (!isRecord(value)) return value;
  const { session_status: status } = value;
  const isOpen = typeof status === "string" && isSessionStatus(status) && !isEnded(status);
  return isOpen ? { ...value, session_status: "paused" } : value;
}

function isTime(value: unknown): value is string {
  return isInstant(value) === undefined;
}

/** A value that was read from somewhere, as progress: what is missing or does not fit is as at the beginning. */
export function progressOf(value: Readonly<Record<string, unknown>>): WorkflowProgress {
  const known = Object.entries(NO_PROGRESS).filter(
    ([name]) => !isKnown(name) || PROGRESS_SHAPE[name](value[name]) !== undefined,
  );
  return { ...NO_PROGRESS, ...value, ...Object.fromEntries(known) };
}

function isKnown(name: string): name is keyof typeof PROGRESS_SHAPE {
  return Object.hasOwn(PROGRESS_SHAPE, name);
}
