/** A function of the caller as the work of a phase: what it returns is returned, what it throws is the cause of the failure. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { endOf } from "../domain/guard.ts";
import type { Step } from "../operations/guard-step.ts";
import type { PhaseResult } from "../operations/standalone-phase.ts";

export interface PhaseContext {
  /** 1 for the first. */
  readonly attempt: number;
  /** The checkpoint before the phase; null: the strategy asked for none. */
  readonly checkpointId: string | null;
  /** For commands that the phase starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the time is over or somebody wants to stop. */
  readonly signal: AbortSignal;
}

export type PhaseWork<Result> = (context: PhaseContext) => Promise<Result> | Result;

export async function phaseValue<Result>(
  work: PhaseWork<Result>,
  run: (act: Step) => Promise<PhaseResult>,
): Promise<Result> {
  let outcome: { readonly value: Result } | undefined;
  let thrown: unknown;
  const result = await run(async ({ attempt, checkpointId, env, signal }) => {
    try {
      const context = { attempt, checkpointId: checkpointId || null, env, signal };
      outcome = { value: await work(context) };
    } catch (error) {
      thrown = error;
      throw error;
    }
  });
  if (result.problem !== null) throw result.problem;
  if (!result.report.ok || outcome === undefined) throw phaseFailed(result, thrown);
  return outcome.value;
}

function phaseFailed(
  { name, report, before, interruptedBy }: PhaseResult,
  cause: unknown,
): Failure {
  const what = interruptedBy === null ? (report.error ?? endOf(report)) : interruptedBy;
  return new Failure(
    interruptedBy === null ? "phase_failed" : "interrupted",
    `phase ${name} failed: ${what}`,
    { hint: wayBack(before), details: { checkpoint_before: before?.id ?? null }, cause },
  );
}

function wayBack(before: CheckpointDocument | null): string {
  return before === null
    ? "There is no checkpoint before it; `waymark list` shows the others."
    : `\`waymark rollback ${before.id}\` restores the state before it.`;
}
