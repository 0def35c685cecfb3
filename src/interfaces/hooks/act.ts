/** A hook in the project that the agent works in. */
import { resolve } from "node:path";
import { elsewhereMemory, endAllGit, openGitProject, unopenedProject } from "../../app.ts";
import { withoutSecrets } from "../../domain/agents/without-secrets.ts";
import type { AgentEvent, HookReply } from "../../domain/agents/agent-event.ts";
import { deadlineFor, policyFor } from "../../domain/agents/hook-moment.ts";
import { DEFAULT_CONFIG } from "../../domain/config.ts";
import { Failure } from "../../domain/failure.ts";
import { agentHook } from "../../operations/hooks/agent-hook.ts";
import { failedHook } from "../../operations/hooks/failed-hook.ts";
import { hookStep } from "../../operations/hooks/hook-step.ts";
import type { Project } from "../../operations/project.ts";
import { startAutoCleanup } from "../cli/auto-cleanup.ts";
import { Deadline } from "./deadline.ts";
import { pathsInProject } from "./paths-in-project.ts";

export interface Acted {
  readonly reply: HookReply;
  /** What the agent need not wait for. */
  readonly afterwards: () => void;
}

const NOTHING: Acted = { reply: {}, afterwards: () => undefined };

export async function act(event: AgentEvent, given: string | undefined): Promise<Acted> {
  try {
    return await actInTime(withoutSecrets(event), given);
  } finally {
    // When the time is over one may hang that nobody would end.
    endAllGit();
  }
}

async function actInTime(event: AgentEvent, given: string | undefined): Promise<Acted> {
  const directory = folderOf(event, given);
  if (directory === undefined) return NOTHING;
  const deadline = new Deadline(deadlineFor(event, DEFAULT_CONFIG));
  let project: Project;
  try {
    const opening = openGitProject({ directory, onBadConfig: "warn" });
    project = await Promise.race([opening, deadline.passed]);
  } catch (error) {
    return { ...NOTHING, reply: await couldNotOpen(directory, event, error) };
  }
  deadline.move(deadlineFor(event, project.config));
  const { reply, isNew } = await agentHook(project, {
    event,
    paths: pathsInProject(project.workTree.root, directory, event.tool?.paths ?? []),
    deadline: deadline.passed,
    timeLeft: () => deadline.left(),
  });
  return { reply, afterwards: () => tidy(project, event, isNew) };
}

/** Undefined: it is gone. */
function folderOf({ folder }: AgentEvent, given: string | undefined): string | undefined {
  try {
    return resolve(given ?? folder ?? ".");
  } catch {
    return undefined;
  }
}

/** A folder without a project is none of our business. One that has a project which cannot be opened is not protected. */
async function couldNotOpen(
  directory: string,
  event: AgentEvent,
  error: unknown,
): Promise<HookReply> {
  if (error instanceof Failure && error.code === "bare_repository") return {};
  const unopened = await unopenedProject(directory);
  if (unopened === undefined) return {};
  const { root, config } = unopened;
  const policy = policyFor(event.agent, config);
  const memories = [elsewhereMemory(root)];
  const now = new Date();
  const paths = pathsInProject(root, directory, event.tool?.paths ?? []);
  const step = hookStep({ event, paths, turn: 0, now, config }, null);
  return failedHook({ event, error, policy, isProtected: false, step, memories, now });
}

function tidy(project: Project, { moment }: AgentEvent, isNew: boolean): void {
  try {
    // Since node began: what the agent waited for.
    project.agentMemory.recordDuration(performance.now());
  } catch {
    // Nothing depends on it.
  }
  // Not while a tool waits: it takes the processor.
  if (isNew && moment !== "pre_tool") startAutoCleanup(project);
}
