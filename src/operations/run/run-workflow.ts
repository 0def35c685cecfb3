/**
 * Runs whatever is pending in a session's workflow: a fresh one from its beginning, a resumed one from where it is. Whatever
 * happens, the session is left in a state that says so, and can be taken up from there.
 */
import { Failure } from "../../domain/failure.ts";
import { redact } from "../../domain/secrets/redact.ts";
import { isPhaseOpen, skipPhase } from "../../domain/workflow/change-progress.ts";
import { controlRefusal, controlText, type ControlCommand } from "../../domain/workflow/control.ts";
import type { Workflow, WorkflowPhase } from "../../domain/workflow/definition.ts";
import { phaseOf } from "../../domain/workflow/progress.ts";
import type { ReachedBreakpoint } from "../../domain/session.ts";
import { mayBecome } from "../../domain/workflow/session-status.ts";
import { asFailure } from "../../domain/system-error.ts";
import { audited, type Audit } from "../audited.ts";
import { removeLeftOver } from "../isolated-trees.ts";
import { keepLease } from "../keep-lease.ts";
import type { OwnedSession } from "../owned-session.ts";
import type { Project } from "../project.ts";
import { whereItsWorkIs, whyItStays } from "../removed-tree.ts";
import { statusFailure } from "../session-status-failure.ts";
import { endRun, type RunResult } from "./end-run.ts";
import { goBack, selectedCheckpoint } from "./go-back.ts";
import { obeyRequest } from "./obey-request.ts";
import { mergeWhatIsDone } from "./merge-results.ts";
import { RunControl } from "./run-control.ts";
import {
  brokenOff,
  paused,
  PhaseSkipped,
  RollbackWanted,
  Stopped,
  type RunEnd,
} from "./run-end.ts";
import type { RunOptions } from "./run-options.ts";
import { runPhase } from "./run-phase.ts";
import { Run } from "./run.ts";
import { TimeLimit } from "./time-limit.ts";

export type { RunResult } from "./end-run.ts";

/** The session is released at the end. Fails with `lease_lost` when somebody else runs it by then. */
export function runWorkflow(
  project: Project,
  owned: OwnedSession,
  workflow: Workflow,
  options: RunOptions = {},
): Promise<RunResult> {
  const audit: Audit<RunResult> = {
    operation: options.isResumed === true ? "resume" : "run",
    sessionId: owned.id,
    reason: workflow.description ?? workflow.name,
    outcome: ({ status, exitCode, reason, checkpointId }) => ({
      checkpointIds: checkpointId === null ? [] : [checkpointId],
      details: { session_id: owned.id, became: status, exit_code: exitCode },
      ...(status === "completed"
        ? {}
        : { failure: { code: `session_${status}`, message: reason ?? status } }),
    }),
  };
  return audited(project, audit, () => run(project, owned, workflow, options));
}

async function run(
  project: Project,
  owned: OwnedSession,
  workflow: Workflow,
  options: RunOptions,
): Promise<RunResult> {
  const control = new RunControl(options.sharesTerminal === true);
  const running = new Run(project, owned, workflow, options, control);
  const begunAt = running.now();
  const onAbort = (): void => control.wish("SIGTERM");
  options.signal?.addEventListener("abort", onAbort, { once: true });
  if (options.signal?.aborted === true) onAbort();
  // Asked while the session was being started.
  if (project.interruption.isAsked) control.wish("SIGINT");
  const limit = new TimeLimit(options.timeoutMs ?? null);
  limit.whenOver(() => control.timeIsOver());
  const stopListening = keepLease(owned, {
    onLost: (error) => control.fail(error),
    onRequest: (request) => obeyRequest(running, request),
  });
  try {
    return await project.interruption.handOver(
      (signal) => control.wish(signal),
      async () => {
        try {
          const end = await untilEnd(running);
          await stopListening();
          return await endRun(running, end, begunAt);
        } finally {
          await stopListening();
          await running.inTurn(() => owned.release());
        }
      },
    );
  } finally {
    limit.close();
    control.close();
    options.signal?.removeEventListener("abort", onAbort);
  }
}

/** Undefined: it is completed. What is thrown from here is a bug, or a session that is ours no more. */
async function untilEnd(running: Run): Promise<RunEnd | undefined> {
  try {
    await begin(running);
    await runPhases(running);
    return undefined;
  } catch (error) {
    if (error instanceof Stopped) return error.end;
    if (error instanceof RollbackWanted) return rollBackAndPause(running, error);
    const failure = asFailure(error);
    await running.project.commands.endLeftOvers();
    if (failure instanceof Failure && failure.code !== "lease_lost") return brokenOff(failure).end;
    throw error;
  }
}

async function begin(running: Run): Promise<void> {
  const { owned, options, workflow, project } = running;
  const commands = await project.commands.name();
  const { commands_of: before } = owned.document;
  if (typeof before === "string" && before !== commands) {
    warnOfEnded(running, await project.commands.endLeftOvers(before));
  }
  await project.runFiles.sweep(owned.id);
  await running.updateSession("the workflow runs", (session) => {
    if (!mayBecome(session.status, "active")) throw statusFailure(session, "be run");
    const { ended_at: _ended, archived_at: _archived, breakpoint: _, ...left } = session;
    const { workflow: progress, ...rest } = left;
    return {
      ...rest,
      status: "active",
      last_error: null,
      // So that whoever takes the session over after a kill finds what was left running.
      commands_of: commands,
      ...(progress === undefined
        ? {}
        : { workflow: { ...progress, iteration_count: progress.iteration_count + 1 } }),
    };
  });
  running.emit({
    event: options.isResumed === true ? "session_resumed" : "session_started",
    workflow: workflow.name,
    phases: running.progress.phases.map(({ name, step, status }) => ({ name, step, status })),
  });
  for (const removed of await running.inTurn(() => removeLeftOver(project))) {
    warnOfEnded(running, removed.ended);
    const said = whyItStays(removed) ?? whereItsWorkIs(removed);
    if (said !== undefined) running.warn(said, undefined);
  }
}

function warnOfEnded(running: Run, count: number): void {
  if (count > 0) running.warn(`ended ${count} processes left running by a killed run`, undefined);
}

async function runPhases(running: Run): Promise<void> {
  const { phases } = running.workflow;
  for (const phase of phases) {
    const known = phaseOf(running.progress, phase.name);
    if (known === undefined || !isPhaseOpen(known)) continue;
    try {
      running.control.refuseHalted();
      await runPhase(running, phase);
      if (phase.breakpoint) await atBreakpoint(running, phase);
    } catch (error) {
      if (!(error instanceof PhaseSkipped)) throw error;
      running.control.clear();
      await skipPhases(running, phase, error.toStep);
    }
  }
  running.control.refuseHalted();
}

/** The phase itself if it is open, else, at its breakpoint, the next; or every open one before a step. */
async function skipPhases(running: Run, at: WorkflowPhase, toStep: number | null): Promise<void> {
  await running.project.commands.endLeftOvers();
  const open = running.workflow.phases.filter(({ name }) => {
    const known = phaseOf(running.progress, name);
    return known !== undefined && isPhaseOpen(known);
  });
  const left =
    toStep === null
      ? open.filter(({ step }) => step >= at.step).slice(0, 1)
      : open.filter(({ step }) => step < toStep);
  for (const phase of left) {
    const { name, step } = phase;
    const isBegun = phaseOf(running.progress, name)?.status === "running";
    if (isBegun) await mergeWhatIsDone(running, phase);
    await running.update(`phase ${name} is skipped`, (progress) =>
      skipPhase(progress, name, running.now()),
    );
    running.emit({
      event: "phase_finished",
      phase: name,
      step,
      status: "skipped",
      error: null,
      ...(isBegun ? { reason: "what it changed so far stays in the project" } : {}),
      duration_ms: 0,
    });
  }
}

async function atBreakpoint(running: Run, phase: WorkflowPhase): Promise<void> {
  const { options, control, workflow, owned } = running;
  const next = workflow.phases.find(({ step }) => step > phase.step)?.name ?? null;
  const told = (answer: string): void =>
    running.emit({ event: "breakpoint", phase: phase.name, step: phase.step, answer });
  if (options.passBreakpoints === true) {
    told("*continue");
    return;
  }
  const ask = options.observer?.atBreakpoint?.bind(options.observer);
  const question = {
    sessionId: owned.id,
    phase: phase.name,
    step: phase.step,
    next,
    checkpointId: running.current?.id ?? null,
  };
  const answer =
    ask === undefined
      ? undefined
      : await whileWaiting(running, { phase: phase.name, next }, () =>
          sensibleAnswer(running, phase, (signal) => ask(question, signal)),
        );
  // Somebody may have looked around, and changed something.
  running.isTouched = true;
  if (answer === undefined) {
    throw paused(`waiting for an answer at the breakpoint after ${phase.name}`, {
      phase: phase.name,
      hint: "Review the changes, then resume; --yes continues at breakpoints without asking.",
    });
  }
  told(controlText(answer));
  if (answer.kind === "continue") return;
  control.obey(answer, null);
  control.refuseHalted();
}

/** Those who watch the session see what it waits for. */
async function whileWaiting<Result>(
  running: Run,
  breakpoint: ReachedBreakpoint,
  work: () => Promise<Result>,
): Promise<Result> {
  await running.updateSession(`waits at the breakpoint after ${breakpoint.phase}`, (session) => ({
    ...session,
    breakpoint,
  }));
  try {
    return await work();
  } finally {
    await running.updateSession("waits no more", (session) => {
      const { breakpoint: _, ...rest } = session;
      return rest;
    });
  }
}

/** Asks until the answer makes sense here. */
async function sensibleAnswer(
  running: Run,
  phase: WorkflowPhase,
  ask: (signal: AbortSignal) => Promise<ControlCommand | undefined>,
): Promise<ControlCommand | undefined> {
  for (;;) {
    const answer = await running.control.asking<ControlCommand | undefined>(
      ask,
      (command) => command,
    );
    const refusal = answer === undefined ? undefined : controlRefusal(answer, running.progress);
    if (refusal === undefined) return answer;
    running.warn(refusal, phase);
  }
}

async function rollBackAndPause(running: Run, wanted: RollbackWanted): Promise<RunEnd> {
  running.control.clear();
  try {
    const target = await selectedCheckpoint(running, wanted.selector);
    const who = wanted.by === null ? "" : ` by ${wanted.by}`;
    await goBack(running, {
      target,
      reason: `*rollback:${wanted.selector}${who}`,
      phase: undefined,
    });
    // What somebody saved during the rollback is in no checkpoint yet.
    const trigger = running.isTouched ? "user_interrupt" : null;
    return paused(`rolled back to ${target.id}${who}`, { trigger }).end;
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof Failure) || failure.code === "lease_lost") throw error;
    return paused(`the rollback to ${redact(wanted.selector)} failed: ${failure.message}`, {
      hint: failure.hint,
      trigger: "user_interrupt",
    }).end;
  }
}
