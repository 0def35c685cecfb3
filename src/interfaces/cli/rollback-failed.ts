/** What a person needs to know after a rollback that did not work: where things stand, and the ways on. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import type { Project } from "../../operations/project.ts";
import type { Output } from "./output.ts";

/** These say what to do themselves, or nothing was tried. */
const SAID: ReadonlySet<FailureCode> = new Set([
  "needs_confirmation",
  "cancelled",
  "commits_would_leave",
  "checkpoint_expired",
  "checkpoint_damaged",
  "interrupted",
  "usage",
  "locked",
  "obstructed",
  "no_permission",
  "session_held",
]);

export async function explainingFailure<Result>(
  { project, output, target }: { project: Project; output: Output; target: CheckpointDocument },
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Failure && !SAID.has(error.code)) {
      for (const line of await standingLines(project, target)) output.say(line);
    }
    throw error;
  }
}

async function standingLines(project: Project, { id }: CheckpointDocument): Promise<string[]> {
  const where = await whereWeAre(project);
  const unfinished = project.restorer.unfinished();
  const standing =
    unfinished === undefined
      ? "all changes were reverted"
      : "the rollback is incomplete; `waymark recover` reverts it";
  return [
    `The rollback to ${id} failed: ${standing}.`,
    ...where,
    "Next steps:",
    `  try again:            waymark rollback ${id}`,
    `  drop commits:         waymark observe '*rollback-force:${id}' (ignores expiry; still takes a safety checkpoint)`,
    `  with plain git:       waymark observe '*manual-restore:${id}' prints the steps`,
    "  check for problems:   waymark doctor",
  ];
}

/** As far as it can be found out: something is broken. */
async function whereWeAre(project: Project): Promise<string[]> {
  try {
    const now = await project.branches.current();
    const tip = now.kind === "branch" ? await project.branches.tip(now.name) : undefined;
    const session = project.currentSession.get();
    const step =
      session === undefined
        ? undefined
        : (await project.sessions.read(session))?.document.workflow?.current_step;
    return [
      ...(now.kind === "branch"
        ? [
            `  branch ${now.name.replace(/^refs\/heads\//, "")} at ${tip?.slice(0, 8) ?? "no commit"}`,
          ]
        : []),
      ...(session === undefined ? [] : [`  session ${session}, step ${step ?? "none"}`]),
    ];
  } catch (error) {
    if (error instanceof Failure) return [];
    throw error;
  }
}
