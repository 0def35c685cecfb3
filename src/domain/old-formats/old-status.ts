/** What older tools call the statuses of sessions, phases and nodes, in our words. */
import type { NodeStatus } from "../workflow/progress.ts";
import type { SessionStatus } from "../workflow/session-status.ts";

const SESSION: Readonly<Record<string, SessionStatus>> = {
  completed: "completed",
  complete: "completed",
  done: "completed",
  success: "completed",
  failed: "failed",
  error: "failed",
  paused: "paused",
  abandoned: "abandoned",
  aborted: "abandoned",
  cancelled: "abandoned",
  canceled: "abandoned",
};

/** Whatever was going on is interrupted now: nobody runs it any more. */
export function sessionStatus(text: string | null): SessionStatus {
  return lookUp(SESSION, text) ?? "interrupted";
}

const NODE: Readonly<Record<string, NodeStatus>> = {
  pending: "pending",
  queued: "pending",
  waiting: "pending",
  completed: "completed",
  complete: "completed",
  done: "completed",
  success: "completed",
  failed: "failed",
  error: "failed",
  skipped: "skipped",
};

/** One that was running may have done anything. */
export function nodeStatus(text: string | null): NodeStatus {
  return lookUp(NODE, text) ?? "unknown";
}

function lookUp<Status>(
  known: Readonly<Record<string, Status>>,
  text: string | null,
): Status | undefined {
  const name = text?.toLowerCase() ?? "";
  return Object.hasOwn(known, name) ? known[name] : undefined;
}
