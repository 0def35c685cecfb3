/** A phase of a workflow around a function of the caller. */
import { openGitProject } from "../app.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { endOf } from "../domain/guard.ts";
import { isRecord } from "../domain/is-record.ts";
import type { Project } from "../operations/project.ts";
import { runPhase, type PhaseRequest, type PhaseResult } from "../operations/run-phase.ts";

export interface WithPhaseOptions extends Omit<PhaseRequest, "name" | "taskId" | "issueNumber"> {
  readonly task?: string;
  readonly issue?: number;
  /** Undefined: the project of `directory` is opened, and closed at the end. */
  readonly project?: Project;
  /** Undefined: the current one. */
  readonly directory?: string;
}

export interface PhaseContext {
  readonly attempt: number;
  /** The checkpoint before the phase; null: the strategy asked for none. */
  readonly checkpointId: string | null;
  /** For commands that the phase starts. */
  readonly env: Readonly<Record<string, string>>;
  /** Aborted when the time is over or somebody wants to stop. */
  readonly signal: AbortSignal;
}

/**
 * Takes a checkpoint as the strategy says, calls `work`, and takes one after it. When `work` throws there is none after it, and
 * the error is a `Failure` with the code `phase_failed` whose hint says how to roll back; what was thrown is its `cause`.
 */
export async function withPhase<Result>(
  name: string,
  options: WithPhaseOptions,
  work: (context: PhaseContext) => Promise<Result> | Result,
): Promise<Result> {
  refuseWrongArguments(name, options, work);
  const { task, issue, project: given, directory, ...rest } = options;
  const project = given ?? (await openGitProject({ directory: directory ?? process.cwd() }));
  let outcome: { readonly value: Result } | undefined;
  let thrown: unknown;
  try {
    const result = await runPhase(
      project,
      {
        ...rest,
        name,
        ...(task === undefined ? {} : { taskId: task }),
        ...(issue === undefined ? {} : { issueNumber: issue }),
      },
      async ({ attempt, checkpointId, env, signal }) => {
        try {
          const context = { attempt, checkpointId: checkpointId || null, env, signal };
          outcome = { value: await work(context) };
        } catch (error) {
          thrown = error;
          throw error;
        }
      },
    );
    if (result.problem !== null) throw result.problem;
    if (!result.report.ok || outcome === undefined) throw phaseFailed(result, thrown);
    return outcome.value;
  } finally {
    if (given === undefined) project.close();
  }
}

/** JavaScript lets everything in; what comes in place of the name must not end up in a message. */
function refuseWrongArguments(name: unknown, options: unknown, work: unknown): void {
  const wrong =
    typeof name !== "string"
      ? "the first argument is no name"
      : !isRecord(options)
        ? "the second argument is no object with options"
        : typeof work !== "function"
          ? "the third argument is no function"
          : undefined;
  if (wrong === undefined) return;
  throw new Failure("usage", `withPhase: ${wrong}`, {
    hint: 'Call it as withPhase("implement", { project }, async (context) => …). Nothing was run.',
  });
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
    ? "No checkpoint was taken before it; `waymark list` shows what there is."
    : `\`waymark rollback ${before.id}\` goes back to before it.`;
}
