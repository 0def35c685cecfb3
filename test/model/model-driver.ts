/** Waymark for the model: in this process, where a start of Node would take most of the time, or by its command. */
import { openGitProject } from "../../src/app.ts";
import { Failure } from "../../src/domain/failure.ts";
import { rollBack, type RollBackOptions } from "../../src/library/roll-back.ts";
import { redo, undo } from "../../src/library/undo.ts";
import { createCheckpoint, type CreateRequest } from "../../src/operations/create-checkpoint.ts";
import type { Project } from "../../src/operations/project.ts";
import { cliDriver, type RollbackOutcome } from "../support/driver.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { type Work } from "./steps.ts";

export interface ModelDriver {
  create(request: CreateRequest): Promise<{ readonly id: string; readonly unchanged: boolean }>;
  rollBack(id: string, options: RollBackOptions): Promise<RollbackOutcome>;
  step(kind: "undo" | "redo"): Promise<RollbackOutcome>;
}

/** Opens the project for one thing, as every command does. */
export async function inProject<T>(
  repo: TempRepository,
  act: (project: Project) => Promise<T>,
): Promise<T> {
  const project = await openGitProject({ directory: repo.root, makeProject: true });
  try {
    return await act(project);
  } finally {
    project.close();
  }
}

/** A failure is an answer; anything else that is thrown is a bug. */
export async function orRefused<T>(act: Promise<T>): Promise<T | RefusedOutcome> {
  try {
    return await act;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { kind: "refused", reason: `${error.code}: ${error.message}` };
  }
}

export type RefusedOutcome = Extract<RollbackOutcome, { kind: "refused" }>;

const library = (repo: TempRepository): ModelDriver => ({
  create: (request) =>
    inProject(repo, async (project) => {
      const { kind, checkpoint } = await createCheckpoint(project, request);
      return { id: checkpoint.id, unchanged: kind === "unchanged" };
    }),
  rollBack: (id, options) =>
    orRefused(
      inProject(repo, async (project) => {
        const done = await rollBack(project, id, {
          ...options,
          discardCommits: true,
          dryRun: false,
        });
        return outcomeOf(done.verification.match, done.safety.id);
      }),
    ),
  step: (kind) =>
    orRefused(
      inProject(repo, async (project) => {
        const act = kind === "undo" ? undo : redo;
        const { verification, safety } = await act(project, { discardCommits: true });
        return outcomeOf(verification.match, safety.id);
      }),
    ),
});

function outcomeOf(match: boolean, undoCheckpointId: string): RollbackOutcome {
  return { kind: "rolled_back", match, undoCheckpointId };
}

export function modelDriver(repo: TempRepository, by: Work["by"]): ModelDriver {
  const inside = library(repo);
  if (by === "library") return inside;
  const command = cliDriver(repo.root, repo.env);
  return {
    create: (request) =>
      request.force === true && request.parts === undefined && request.scope === undefined
        ? command.create()
        : inside.create(request),
    rollBack: (id, options) =>
      Object.keys(options).length === 0 ? command.rollBack(id) : inside.rollBack(id, options),
    step: (kind) => command[kind](),
  };
}
