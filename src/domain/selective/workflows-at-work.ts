/**
 * When was a workflow of Waymark at work? From a checkpoint with which something begins to run to the one that says how it went on. A run
 * that was killed, or that failed, says nothing: what came after it may be a person's.
 */
import type { Trigger } from "../checkpoint.ts";

/** A moment, as far as it matters here. */
export interface WorkflowMoment {
  /** The session of a workflow that took it; null: none, or an agent took it. */
  readonly workflow: string | null;
  readonly trigger: Trigger | null;
  readonly phase: string | null;
  /** Who took it: one run is one process. */
  readonly process: string;
  /** That process ran something itself (`run`, `phase`), and would have said how it ended. */
  readonly isRun: boolean;
  /** A rollback came to it, and nobody took anything: what its checkpoint was once taken for is over. */
  readonly isArrival: boolean;
}

export interface WorkflowAtWork {
  readonly session: string;
  /** False: it may have been over long before the next moment. */
  readonly isSure: boolean;
}

/** With these something is running. */
const RUNS: readonly (Trigger | null)[] = [
  "pre_phase",
  "batch_complete",
  "agent_complete",
  "conflict_start",
  "conflict_resolved",
];
/** These say that what ran before them came to its end, whoever takes them. */
const SAYS_DONE: readonly (Trigger | null)[] = [
  "post_phase",
  "batch_complete",
  "agent_complete",
  "conflict_start",
];
/** Anybody takes these at any time, also a command of the workflow: they begin nothing and end nothing. */
const BY_THE_WAY: readonly (Trigger | null)[] = ["manual", "tool_use", null];

interface Beginning {
  readonly from: number;
  /** The checkpoint that tells of it. */
  readonly at: number;
}

interface Stretch {
  readonly from: number;
  /** The first moment after it. */
  readonly to: number;
  readonly isSure: boolean;
}

/** What else is known of workflows. Numbers are those of moments. */
export interface WorkflowSigns {
  /** Nothing says that this one, of which nothing is heard after that moment, is over. */
  goesOn(workflow: string, since: number): boolean;
  /** Somebody paused it between the two. */
  isPaused(workflow: string, from: number, to: number): boolean;
}

/** For each moment, the workflow that was at work after it. */
export function workflowsAtWork(
  moments: readonly WorkflowMoment[],
  signs: WorkflowSigns,
): (WorkflowAtWork | undefined)[] {
  const atWork = moments.map((): WorkflowAtWork | undefined => undefined);
  for (const session of new Set(moments.map(({ workflow }) => workflow))) {
    if (session === null) continue;
    for (const { from, to, isSure } of stretchesOf(moments, session, signs)) {
      for (let at = from; at < to; at++) {
        if (atWork[at]?.isSure !== true) atWork[at] = { session, isSure };
      }
    }
  }
  return atWork;
}

function stretchesOf(
  moments: readonly WorkflowMoment[],
  session: string,
  signs: WorkflowSigns,
): Stretch[] {
  const own = [...moments.entries()].filter(
    ([, { workflow, trigger, isArrival }]) =>
      workflow === session && !isArrival && !BY_THE_WAY.includes(trigger),
  );
  return beginnings(moments, own).map(({ from, at }) => {
    const begun = moments[at];
    const later = own.filter(([index]) => index > at);
    const sameRun = later.find(([, { process }]) => process === begun?.process);
    // A phase that begins says nothing about how the one before it ended, and when.
    if (sameRun !== undefined && sameRun[1].trigger !== "pre_phase") {
      return { from, to: sameRun[0], isSure: true };
    }
    const [next] = later;
    if (next === undefined) return { from, to: from + 1, isSure: signs.goesOn(session, at) };
    const [to, end] = next;
    const isEnd = end.trigger === "session_end" && !signs.isPaused(session, at, to);
    return { from, to, isSure: begun !== undefined && saysDone(begun, end, isEnd) };
  });
}

/** Another process says so. Of a run that said nothing itself, only who names its phase knows. */
function saysDone(begun: WorkflowMoment, end: WorkflowMoment, isEnd: boolean): boolean {
  const isOpen = begun.phase === null || end.phase === null;
  if (SAYS_DONE.includes(end.trigger)) {
    return end.phase === begun.phase || (isOpen && !begun.isRun);
  }
  return isEnd && !begun.isRun;
}

function beginnings(
  moments: readonly WorkflowMoment[],
  own: readonly (readonly [number, WorkflowMoment])[],
): Beginning[] {
  const running = new Set<string>();
  return own.flatMap(([at, { trigger, phase, process }]): Beginning[] => {
    // `auto` is also what a guard takes, which is of no phase.
    if (RUNS.includes(trigger) || (trigger === "auto" && phase !== null)) {
      running.add(process);
      return [{ from: at, at }];
    }
    // A run goes back to try again, and goes on from there. After a rollback by anybody else nobody is at work.
    const isRetry = trigger === "pre_rollback" && moments[at + 1]?.isArrival === true;
    if (isRetry && running.has(process)) return [{ from: at + 1, at }];
    running.delete(process);
    return [];
  });
}
