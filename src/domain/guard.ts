/** What a guard knows about its attempts, and what it tells those who try again. */

/** What one step, the act or a check, came to. */
export interface StepReport {
  readonly ok: boolean;
  /** Not run, because a step before it failed. */
  readonly skipped: boolean;
  /** Of a command; 128 and more for one that was ended by a signal. */
  readonly exitCode: number | null;
  readonly signal: string | null;
  readonly timedOut: boolean;
  /** What a function threw, or why a command could not be started. */
  readonly error: string | null;
  readonly durationMs: number;
}

export const SKIPPED: StepReport = {
  ok: false,
  skipped: true,
  exitCode: null,
  signal: null,
  timedOut: false,
  error: null,
  durationMs: 0,
};

/** How a step ended, in a few words: `exit 1`, `timed out`. */
export function endOf(report: StepReport): string {
  if (report.skipped) return "not run";
  if (report.timedOut) return "timed out";
  if (report.ok) return "ok";
  if (report.signal !== null) return `ended by ${report.signal}`;
  if (report.exitCode !== null) return `exit ${report.exitCode}`;
  return report.error ?? "failed";
}

export interface GuardSurroundings {
  /** Checkpoints of the guards around, the outermost first. */
  readonly around: readonly string[];
  readonly checkpointId: string;
  readonly attempt: number;
  /** The file about the attempt before this one. */
  readonly failure: string | undefined;
}

const GUARD_VARIABLE = "WAYMARK_GUARD";

/** What commands inside of a guard find in their environment. */
export function guardEnvironment(around: GuardSurroundings): Record<string, string> {
  return {
    [GUARD_VARIABLE]: [...around.around, around.checkpointId].join(":"),
    [`${GUARD_VARIABLE}_ATTEMPT`]: String(around.attempt),
    // Empty and not absent: a guard around this one may have set it.
    [`${GUARD_VARIABLE}_FAILURE`]: around.failure ?? "",
  };
}

/** The guards around this process. */
export function guardsAround(environment: Readonly<Record<string, string | undefined>>): string[] {
  return (environment[GUARD_VARIABLE] ?? "").split(":").filter((id) => id !== "");
}
