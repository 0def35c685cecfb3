/** What a checkpoint holds of its session: how far the workflow had come, and how the session stood. */
import { isRecord } from "../is-record.ts";
import type { SessionDocument } from "../session.ts";
import { NO_PROGRESS, type WorkflowProgress } from "./progress.ts";
import { PROGRESS_SHAPE } from "./progress-shape.ts";
import { isEnded, isSessionStatus, type SessionStatus } from "./session-status.ts";

/** As `workflow.json` of a checkpoint's tree has it. */
export interface HeldWorkflow extends WorkflowProgress {
  readonly session_status: string;
}

/** Undefined: the session is no workflow. */
export function heldWorkflow(session: SessionDocument | undefined): HeldWorkflow | undefined {
  if (session?.workflow === undefined) return undefined;
  return { ...session.workflow, session_status: session.status };
}

export interface RestoredWorkflow {
  readonly progress: WorkflowProgress;
  readonly status: SessionStatus;
}

/**
 * The session's part of a rollback. What was going on then is going on no more: it waits for somebody to resume it. Undefined:
 * this is no workflow.
 */
export function restoredWorkflow(value: unknown): RestoredWorkflow | undefined {
  if (!isRecord(value)) return undefined;
  const { session_status: status, ...rest } = value;
  const then = typeof status === "string" && isSessionStatus(status) ? status : "paused";
  return { progress: progressOf(rest), status: isEnded(then) ? then : "paused" };
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
