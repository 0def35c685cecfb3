/** Deleting, bringing back and cleaning up, as the model does it. */
import { cleanUp } from "../../src/operations/clean-up.ts";
import { deleteCheckpoints, planDeletion } from "../../src/operations/delete-checkpoints.ts";
import { findStored } from "../../src/operations/find-checkpoint.ts";
import { viewSessions } from "../../src/operations/session-view.ts";
import { undeleteCheckpoints } from "../../src/operations/undelete-checkpoints.ts";
import { type TempRepository } from "../support/temp-repository.ts";
import { inProject } from "./model-driver.ts";
import { gitOfProject } from "./project-git.ts";

export async function moveToTrash(repo: TempRepository, id: string): Promise<void> {
  await inProject(repo, async (project) => {
    const view = await viewSessions(project, undefined);
    const plan = await planDeletion(project, view, [findStored(project, view, id)], true);
    await deleteCheckpoints(project, plan, { reason: null, now: false });
    const { stored } = await viewSessions(project, undefined);
    if (stored.some((one) => one.id === id)) throw new Error(`${id} is still listed`);
  });
}

/** What is in the trash is held by nothing that the user's git would show, and stays all the same. */
export async function collectGarbage(repo: TempRepository): Promise<void> {
  const result = await gitOfProject(repo, "gc", "--quiet", "--prune=now");
  if (result.code !== 0) throw new Error(`git gc ended with ${result.code}: ${result.stderr}`);
}

export async function bringBack(repo: TempRepository, id: string): Promise<void> {
  await inProject(repo, async (project) => {
    const restored = await undeleteCheckpoints(project, [id], null);
    if (restored.length !== 1) throw new Error(`${id} did not come back`);
  });
}

/** Everything goes for good that no rule keeps. Answers with the ids that are still there. */
export async function sweepAll(repo: TempRepository): Promise<ReadonlySet<string>> {
  return await inProject(repo, async (project) => {
    const request = { limits: { keep: 0 }, now: true };
    await cleanUp(project, request, () => Promise.resolve(true));
    return new Set((await project.checkpoints.list()).map(({ id }) => id));
  });
}
