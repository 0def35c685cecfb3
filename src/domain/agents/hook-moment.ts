/** What a moment of an agent leads to. */
import type { Trigger } from "../checkpoint.ts";
import type { Config, FailurePolicy } from "../config.ts";
import type { AgentEvent, AgentMoment } from "./agent-event.ts";
import type { AgentName } from "./agents.ts";

/** Whether there is nothing to do, whatever the project and its settings are. */
export function isOfNoConcern({ moment, tool }: Pick<AgentEvent, "moment" | "tool">): boolean {
  if (moment === "other" || moment === "post_tool") return true;
  return moment === "pre_tool" && tool?.kind === "read";
}

/** Moments that checkpoints are taken at. */
export type StepMoment = Exclude<AgentMoment, "session_start" | "post_tool" | "other">;

const TRIGGERS: Readonly<Record<StepMoment, Trigger>> = {
  prompt: "auto",
  pre_tool: "tool_use",
  // So that what people change from then on is not taken for the agent's work.
  turn_end: "auto",
  session_end: "session_end",
};

export function isStepMoment(moment: AgentMoment): moment is StepMoment {
  return Object.hasOwn(TRIGGERS, moment);
}

/** Undefined: none is taken. */
export function hookTrigger(
  moment: StepMoment,
  { strategy, triggers }: Pick<Config, "strategy" | "triggers">,
): Trigger | undefined {
  if (strategy === "manual" || (moment === "pre_tool" && !triggers.toolUse)) return undefined;
  return TRIGGERS[moment];
}

export function policyFor(agent: AgentName, { agents }: Pick<Config, "agents">): FailurePolicy {
  return agents.policies[agent] ?? agents.policy;
}

/** Claude Code gives all hooks of a session's end a second and a half together, Codex a second or what the hook asks for. */
const HURRIED: readonly AgentName[] = ["claude", "codex"];
const SESSION_END_MS = 1400;

export function deadlineFor(
  { agent, moment }: Pick<AgentEvent, "agent" | "moment">,
  { agents }: Pick<Config, "agents">,
): number {
  const isHurried = moment === "session_end" && HURRIED.includes(agent);
  return isHurried ? Math.min(agents.deadline, SESSION_END_MS) : agents.deadline;
}
