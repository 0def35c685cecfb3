/**
 * Hooks of agents that a rollback takes out of the project, because they were installed later. The rollback stays exact, so it does
 * not keep them; whoever decides about it has to know that the agent is not protected afterwards.
 */
import type { BytePath } from "../domain/byte-path.ts";
import { showPath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { AgentName } from "../domain/agents/agents.ts";
import { agentOfHookFile } from "../domain/agents/hook-places.ts";
import { Failure } from "../domain/failure.ts";
import type { FilePlan } from "../domain/rollback-plan.ts";
import type { Project } from "./project.ts";

export interface RemovedHooks {
  readonly agent: AgentName;
  readonly path: BytePath;
}

/** Also files that keep a part of their hooks. */
export async function removedHooks(
  project: Project,
  target: CheckpointDocument,
  { write, remove }: Pick<FilePlan, "write" | "remove">,
): Promise<RemovedHooks[]> {
  const found: RemovedHooks[] = [];
  const then = (path: string): Promise<string> => textThen(project, target, path);
  for (const [steps, textOf] of [[write, then] as const, [remove, () => ""] as const]) {
    for (const { path } of steps) {
      const file = showPath(path);
      const agent = agentOfHookFile(file);
      if (agent === undefined) continue;
      const now = hookCount((await project.namedFiles.text(file)) ?? "");
      if (now > 0 && now > hookCount(await textOf(file))) found.push({ agent, path });
    }
  }
  return found;
}

/** Empty where it cannot be read: what is damaged is found before anything is changed. */
async function textThen(
  project: Project,
  { id }: CheckpointDocument,
  path: string,
): Promise<string> {
  try {
    return (await project.checkpoints.entry(id, `worktree/${path}`)).toString("utf8");
  } catch (error) {
    if (error instanceof Failure) return "";
    throw error;
  }
}

/** Commands of hooks in JSON, scripts and plugin files: `waymark hook claude`, also by the path of its program. */
function hookCount(text: string): number {
  return text.match(/waymark.{0,80}\bhooks?\b/gi)?.length ?? 0;
}
