/** What happened in a workflow between two looks at its session, as the events that its run tells: for those who watch it. */
import type { RollbackRecord, SessionDocument } from "../session.ts";
import {
  NO_PROGRESS,
  workedSince,
  type NodeProgress,
  type PhaseProgress,
  type WorkflowProgress,
} from "./progress.ts";
import type { SessionStatus } from "./session-status.ts";
import type { AttemptEnd, RunEvent, RunEventBody } from "./run-event.ts";

/** `before`: undefined at the first look, which tells how far the session is. `name`: of its workflow, where that is known. */
export function observedEvents(
  before: SessionDocument | undefined,
  after: SessionDocument,
  name?: string,
): RunEvent[] {
  const progress = after.workflow ?? NO_PROGRESS;
  const known = before?.id === after.id ? before.workflow : undefined;
  const rollback = rollbackSince(before, after);
  // What was done is to do again.
  const isBack = known?.phases.some(
    (was) => was.status !== "pending" && phaseIn(progress, was.name)?.status === "pending",
  );
  const isResumed = before?.id === after.id && before.status !== "active" && isActive(after);
  const isAnew = isBack === true || isResumed || rollback !== undefined;
  const earlier = isAnew ? undefined : known;
  const events: RunEvent[] = [];
  const add = (at: string | null, body: RunEventBody): void => {
    events.push({ at: at ?? after.updated_at, session_id: after.id, ...body });
  };
  const phases = progress.phases.map(({ name, step, status }) => ({ name, step, status }));
  if (rollback !== undefined) {
    add(rollback.at, {
      event: "rolled_back",
      checkpoint_id: rollback.to_id,
      undo_checkpoint_id: rollback.safety_id,
      rollback_kind: rollback.kind,
      reason: rollback.reason ?? "",
      phase: progress.current_phase,
      step: progress.current_step,
      commits_left: [],
      kept: [],
      phases,
    });
  } else if (earlier === undefined) {
    add(after.created_at, {
      event: known === undefined ? "session_started" : "session_resumed",
      workflow: name ?? after.description ?? after.topic ?? after.workflow_type ?? after.id,
      phases,
    });
  }
  // What a rollback brought back did not happen now.
  if (rollback === undefined || isActive(after)) {
    for (const phase of progress.phases) addPhase(add, earlier, progress, phase);
  }
  const wasActive = before?.id !== after.id || isActive(before);
  if (wasActive && !isActive(after)) {
    const rolledBack = rollback === undefined ? after.status : `rolled back to ${rollback.to_id}`;
    add(null, {
      event: "session_ended",
      status: after.status as SessionStatus,
      exit_code: after.status === "completed" ? 0 : 1,
      reason: after.status === "completed" ? null : (after.last_error?.message ?? rolledBack),
      hint: after.last_error?.hint ?? null,
      resume_command: after.status === "completed" ? null : `waymark resume ${after.id}`,
      rollback_command: null,
      checkpoint_id: rollback?.to_id ?? lastCheckpoint(after, progress),
      // Of one that was resumed, nothing says how long it ran.
      duration_ms: progress.iteration_count > 1 ? 0 : msBetween(after.created_at, after.updated_at),
    });
  }
  return events;
}

type Add = (at: string | null, body: RunEventBody) => void;

function addPhase(
  add: Add,
  earlier: WorkflowProgress | undefined,
  progress: WorkflowProgress,
  phase: PhaseProgress,
): void {
  const was = earlier && phaseIn(earlier, phase.name);
  const of = { phase: phase.name, step: phase.step };
  const isNew = was?.status !== phase.status || was.attempts !== phase.attempts;
  const isGoingOn = was?.status === "running" && was.attempts === phase.attempts;
  const begins = isNew && !isGoingOn && (phase.status === "running" || was !== undefined);
  if (begins && phase.status !== "pending" && phase.status !== "skipped") {
    addCheckpoint(add, of, "pre_phase", was?.checkpoint_before, phase.checkpoint_before);
    add(workedSince(phase), {
      event: "phase_started",
      attempt: phase.attempts,
      of: progress.phases.length,
      ...of,
    });
  }
  for (const [id, node] of Object.entries(progress.execution_graph?.nodes ?? {})) {
    if (node.phase === phase.name) addNode(add, earlier, { ...of, id, node });
  }
  addCheckpoint(add, of, "post_phase", was?.checkpoint_after, phase.checkpoint_after);
  if (!isNew || phase.status === "pending" || phase.status === "running") return;
  add(phase.completed_at, {
    event: "phase_finished",
    status: phase.status,
    error: phase.error,
    duration_ms: msBetween(workedSince(phase), phase.completed_at),
    ...of,
  });
}

function addNode(
  add: Add,
  earlier: WorkflowProgress | undefined,
  { id, node, phase, step }: { id: string; node: NodeProgress; phase: string; step: number },
): void {
  const was = earlier?.execution_graph?.nodes[id];
  const log = typeof node["log"] === "string" ? node["log"] : "";
  const of = { phase, step, node: node.name, attempt: node.attempts, log };
  const isSame = was?.status === node.status && was.attempts === node.attempts;
  if (isSame) return;
  const wasRunning = was?.status === "running";
  if (node.status === "running" && !wasRunning) {
    add(node.started_at, { event: "node_started", ...of });
  } else if (wasRunning) {
    add(node.completed_at, {
      event: "node_finished",
      status: endOf(node),
      exit_code: node.exit_code,
      error: node.error,
      duration_ms: msBetween(node.started_at, node.completed_at),
      ...of,
    });
    if (node.status === "running") add(node.started_at, { event: "node_started", ...of });
  }
}

function endOf({ status, ended_as: end }: NodeProgress): AttemptEnd {
  if (status === "completed") return "completed";
  return end === "timed_out" || end === "interrupted" ? end : "failed";
}

function addCheckpoint(
  add: Add,
  of: { readonly phase: string; readonly step: number },
  trigger: "pre_phase" | "post_phase",
  was: string | null | undefined,
  now: string | null,
): void {
  if (now === null || now === was) return;
  const reason = `${trigger === "pre_phase" ? "before" : "after"} ${of.phase}`;
  add(null, { event: "checkpoint_created", checkpoint_id: now, trigger, reason, ...of });
}

/** The last one between the two looks that restored the progress of the session. */
function rollbackSince(
  before: SessionDocument | undefined,
  after: SessionDocument,
): RollbackRecord | undefined {
  if (before?.id !== after.id) return undefined;
  const known = new Set(before.history.map(({ id }) => id));
  return after.history.findLast(({ id, from_step }) => from_step !== undefined && !known.has(id));
}

function isActive({ status }: SessionDocument): boolean {
  return status === "active";
}

/** That of the end, which no phase has; else the last of a phase. */
function lastCheckpoint(
  { events = [], status }: SessionDocument,
  { phases }: WorkflowProgress,
): string | null {
  const end = events.findLast(({ details }) => details?.["became"] !== undefined);
  const [atEnd] = end?.details?.["became"] === status ? end.checkpoint_ids : [];
  if (atEnd !== undefined) return atEnd;
  const ids = phases.flatMap(({ checkpoint_before: before, checkpoint_after: after }) => [
    ...(before === null ? [] : [before]),
    ...(after === null ? [] : [after]),
  ]);
  return ids.at(-1) ?? null;
}

function phaseIn({ phases }: WorkflowProgress, name: string): PhaseProgress | undefined {
  return phases.find((phase) => phase.name === name);
}

function msBetween(from: string | null, to: string | null): number {
  const passed = from === null || to === null ? 0 : Date.parse(to) - Date.parse(from);
  return Number.isNaN(passed) ? 0 : Math.max(0, passed);
}
