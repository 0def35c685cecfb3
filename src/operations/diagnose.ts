/** Runs all checks and, where asked to, puts right what they know how to. */
import { problem, type Finding } from "../domain/health.ts";
import { Failure } from "../domain/failure.ts";
import { asFailure } from "../domain/system-error.ts";
import type { HealthCheck } from "../ports/health-check.ts";
import type { Progress } from "../ports/progress.ts";

export interface Diagnosis extends Finding {
  readonly name: string;
  readonly fixed: boolean;
}

export async function diagnose(
  checks: readonly HealthCheck[],
  fix: boolean,
  progress: Progress,
): Promise<Diagnosis[]> {
  const task = progress.begin("checking", { items: checks.length });
  try {
    const found: Diagnosis[] = [];
    for (const check of checks) {
      found.push(...(await examine(check, fix)));
      task.advance(1);
    }
    return found;
  } finally {
    task.end();
  }
}

async function examine(check: HealthCheck, fix: boolean): Promise<Diagnosis[]> {
  const { name } = check;
  const before = await look(check);
  if (!fix || check.fix === undefined || !before.some((finding) => finding.fixable === true)) {
    return before.map((finding) => ({ ...finding, name, fixed: false }));
  }
  try {
    await check.fix();
  } catch (error) {
    const { message, hint } = describe(error);
    const failed = problem(`the fix failed: ${message}`, hint);
    return [...before, failed].map((finding) => ({ ...finding, name, fixed: false }));
  }
  const after = await look(check);
  return after.map((finding) => ({ ...finding, name, fixed: finding.fixable !== true }));
}

async function look(check: HealthCheck): Promise<readonly Finding[]> {
  try {
    return await check.look();
  } catch (error) {
    const { message, hint } = describe(error);
    return [problem(`the check failed: ${message}`, hint)];
  }
}

function describe(thrown: unknown): { message: string; hint: string } {
  const error = asFailure(thrown);
  const message = error instanceof Error ? error.message : String(error);
  const hint = error instanceof Failure ? error.hint : undefined;
  return { message, hint: hint ?? "Look at the repository with `git fsck` and `git status`." };
}
