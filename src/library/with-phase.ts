/** A phase of a workflow around a function of the caller. */
import { openGitProject } from "../app.ts";
import { Failure } from "../domain/failure.ts";
import { isRecord } from "../domain/is-record.ts";
import type { Project } from "../operations/project.ts";
import { runPhase, type PhaseRequest } from "../operations/standalone-phase.ts";
import { phaseValue, type PhaseWork } from "./phase-work.ts";
import { withoutUndefined } from "./without-undefined.ts";

export interface WithPhaseOptions extends Omit<PhaseRequest, "name" | "taskId" | "issueNumber"> {
  /** The id of a task of Backlog.md. */
  readonly task?: string;
  /** The number of an issue. */
  readonly issue?: number;
  /** Undefined: the project of `directory` is opened, and closed at the end. */
  readonly project?: Project;
  /** Undefined: the current one. */
  readonly directory?: string;
}

/**
 * Takes a checkpoint as the strategy says, calls `work`, and takes one after it. When `work` throws there is none after it, and
 * the error is a `Failure` with the code `phase_failed` whose hint says how to roll back; what was thrown is its `cause`.
 */
export async function withPhase<Result>(
  name: string,
  options: WithPhaseOptions,
  work: PhaseWork<Result>,
): Promise<Result> {
  refuseWrongArguments(name, options, work);
  const { task: taskId, issue: issueNumber, project: given, directory, ...rest } = options;
  const project = given ?? (await openGitProject({ directory: directory ?? process.cwd() }));
  const request = { ...rest, name, ...withoutUndefined({ taskId, issueNumber }) };
  try {
    return await phaseValue(work, (act) => runPhase(project, request, act));
  } finally {
    if (given === undefined) project.close();
  }
}

/** JavaScript lets everything in; what comes in place of the name must not end up in a message. */
function refuseWrongArguments(name: unknown, options: unknown, work: unknown): void {
  const wrong =
    typeof name !== "string"
      ? "the first argument is not a name"
      : !isRecord(options)
        ? "the second argument is not an object with options"
        : typeof work !== "function"
          ? "the third argument is not a function"
          : undefined;
  if (wrong === undefined) return;
  throw new Failure("usage", `withPhase: ${wrong}`, {
    hint: 'Call it as withPhase("implement", { project }, async (context) => …). Nothing was run.',
  });
}
