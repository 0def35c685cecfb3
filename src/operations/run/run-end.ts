/** Ways in which a workflow ends before its last phase. They are thrown, so that nothing goes on after them. */
import type { Trigger } from "../../domain/checkpoint.ts";
import type { Failure } from "../../domain/failure.ts";

export interface RunEnd {
  readonly status: "failed" | "paused" | "interrupted";
  readonly exitCode: 1 | 5 | 130;
  /** Why, in words. */
  readonly reason: string;
  readonly hint: string | null;
  readonly phase: string | null;
  readonly node: string | null;
  /** The checkpoint to take of what is there; null: one holds it already. */
  readonly trigger: Trigger | null;
  /** Takes back what the phase did; null: there is nothing to take back. */
  readonly rollbackCommand: string | null;
}

export class Stopped extends Error {
  readonly end: RunEnd;

  constructor(end: RunEnd) {
    super(end.reason);
    this.end = end;
  }
}

/** The phase that runs, or every one before a step, is to be left out. */
export class PhaseSkipped extends Error {
  /** Null: only this one. */
  readonly toStep: number | null;

  constructor(toStep: number | null) {
    super("the phase is skipped");
    this.toStep = toStep;
  }
}

/** Another terminal wants to go back; the session waits there. */
export class RollbackWanted extends Error {
  readonly selector: string;
  readonly by: string | null;

  constructor(selector: string, by: string | null) {
    super(`a rollback to ${selector} was requested`);
    this.selector = selector;
    this.by = by;
  }
}

const NOTHING = { phase: null, node: null, trigger: null, rollbackCommand: null } as const;

export function paused(reason: string, more: Partial<RunEnd> = {}): Stopped {
  return new Stopped({ ...NOTHING, status: "paused", exitCode: 5, reason, hint: null, ...more });
}

export function interrupted(reason: string, trigger: Trigger): Stopped {
  return new Stopped({
    ...NOTHING,
    status: "interrupted",
    exitCode: 130,
    reason,
    hint: null,
    trigger,
  });
}

/** An expected failure of the engine itself: what was done stays, and the session can be resumed. */
export function brokenOff(failure: Failure): Stopped {
  return new Stopped({
    ...NOTHING,
    status: "failed",
    exitCode: 1,
    reason: failure.message,
    hint: failure.hint,
    trigger: "session_end",
  });
}
