/** One step of a guard, the act or a check: a function that is given a time limit and a signal to stop. */
import type { Failure } from "../domain/failure.ts";
import type { StepReport } from "../domain/guard.ts";
import type { Clock } from "../ports/clock.ts";

export interface StepContext {
  /** 1 for the first. */
  readonly attempt: number;
  /** The checkpoint of the guard; a guard inside of the step names it as `within`. */
  readonly checkpointId: string;
  /** For commands that the step starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the time is over or somebody wants to stop. The guard waits until the step has ended: it must listen. */
  readonly signal: AbortSignal;
}

/** What a step may say about itself. */
export interface StepOutcome {
  readonly ok: boolean;
  readonly exitCode?: number;
  readonly signal?: string | null;
  /** What it wrote, for the report about a failed attempt. */
  readonly output?: Uint8Array;
  /** Nothing ran, so nothing has to be rolled back: the guard fails with this. */
  readonly neverBegan?: Failure;
}

/** To throw and to return false is to fail. */
export type Step = (context: StepContext) => Promise<StepOutcome | boolean | void>;

export interface StepRun {
  readonly report: StepReport;
  readonly output: Uint8Array;
}

export interface StepConditions {
  readonly context: Omit<StepContext, "signal">;
  readonly timeoutMs: number | undefined;
  /** Calls the listener when the user wants to stop, at once if that was before; returns what ends the listening. */
  readonly whenStopped: (listener: () => void) => () => void;
}

/** A timer cannot be set to more. */
const LONGEST_MS = 2 ** 31 - 1;
const NOTHING = new Uint8Array();

export async function runStep(
  clock: Clock,
  step: Step,
  { context, timeoutMs, whenStopped }: StepConditions,
): Promise<StepRun> {
  const stop = new AbortController();
  let timedOut = false;
  const endOfTime = (): void => {
    timedOut = true;
    stop.abort();
  };
  const timer =
    timeoutMs === undefined ? undefined : setTimeout(endOfTime, Math.min(timeoutMs, LONGEST_MS));
  const stopListening = whenStopped(() => stop.abort());
  const begun = clock.now().getTime();
  const report = (outcome: StepOutcome, error: string | null): StepRun => ({
    report: {
      ok: outcome.ok && !timedOut,
      skipped: false,
      exitCode: outcome.exitCode ?? null,
      signal: outcome.signal ?? null,
      timedOut,
      error,
      durationMs: Math.max(0, clock.now().getTime() - begun),
    },
    output: outcome.output ?? NOTHING,
  });
  let outcome: StepOutcome | boolean | void;
  try {
    outcome = await step({ ...context, signal: stop.signal });
  } catch (error) {
    return report({ ok: false }, error instanceof Error ? error.message : String(error));
  } finally {
    clearTimeout(timer);
    stopListening();
  }
  if (typeof outcome !== "object") return report({ ok: outcome !== false }, null);
  if (outcome.neverBegan !== undefined) throw outcome.neverBegan;
  return report(outcome, null);
}
