/** What came of a guard, as the document `guard`. */
import type { StepReport } from "../../domain/guard.ts";
import { redact, redactWords } from "../../domain/secrets/redact.ts";
import type { GuardAttempt, GuardResult } from "../guard.ts";
import { notRestoredDocument } from "../plan-rollback.ts";
import { keptMeanwhile } from "./rollback-document.ts";

export interface GuardedCommands {
  readonly act: readonly [string, ...string[]];
  readonly verify: readonly string[];
}

export function guardDocument(
  result: GuardResult,
  commands: GuardedCommands,
): Record<string, unknown> {
  const { checkpoint, attempts } = result;
  return {
    passed: result.passed,
    checkpoint_id: checkpoint.id,
    rolled_back: result.rolledBack,
    interrupted_by: result.interruptedBy,
    attempts: attempts.map((attempt) => attemptDocument(attempt, commands)),
    restore_command: checkpoint.restore_command,
    undo_command: (attempts.at(-1)?.rollback ?? null) === null ? null : "waymark undo",
    warnings: result.warnings,
  };
}

function attemptDocument(attempt: GuardAttempt, commands: GuardedCommands) {
  const { rollback, unchanged } = attempt;
  const plan = (rollback ?? unchanged)?.plan;
  return {
    attempt: attempt.attempt,
    passed: attempt.passed,
    act: { command: redactWords(commands.act), ...stepDocument(attempt.act) },
    verify: attempt.verify.map((report, index) => ({
      command: redact(commands.verify[index] ?? ""),
      ...stepDocument(report),
    })),
    rolled_back: plan !== undefined,
    rollback_id: rollback?.id ?? null,
    attempt_checkpoint_id: rollback?.safety.id ?? null,
    changes: attempt.changes,
    commits_left: rollback?.plan.leaving ?? [],
    kept: rollback === null ? [] : keptMeanwhile(rollback),
    not_restored: plan === undefined ? [] : notRestoredDocument(plan),
  };
}

function stepDocument(report: StepReport) {
  return {
    ok: report.ok,
    skipped: report.skipped,
    exit_code: report.exitCode,
    signal: report.signal,
    timed_out: report.timedOut,
    error: report.error,
    duration_ms: report.durationMs,
  };
}
