/** Which agents a command is about where none was named. */
import { AGENTS, agentTitle, type AgentName } from "../../domain/agents/agents.ts";
import { hasScope, hookPlace } from "../../domain/agents/hook-places.ts";
import { HOOK_SCOPES, type HookScope } from "../../domain/agents/hook-scope.ts";
import { Failure } from "../../domain/failure.ts";
import { KNOWN_AGENTS } from "../../domain/known-tools.ts";
import type { AgentSetup } from "./agent-setup.ts";
import type { HookTarget } from "./file-change.ts";

export interface FoundAgent {
  readonly agent: AgentName;
  /** The project has files of it. */
  readonly hasSigns: boolean;
  /** Its command is on the PATH. */
  readonly hasProgram: boolean;
}

const PROGRAMS: Readonly<Record<AgentName, string>> = {
  claude: "claude",
  codex: "codex",
  gemini: "gemini",
  copilot: "copilot",
  cursor: "cursor",
  opencode: "opencode",
  cline: "cline",
  qwen: "qwen",
};

export function lookForAgent(setup: AgentSetup, agent: AgentName): FoundAgent {
  const { root } = setup.around;
  const signs = KNOWN_AGENTS.find(({ name }) => name === agent)?.signs ?? [];
  return {
    agent,
    hasSigns: root !== null && signs.some((sign) => setup.files.isThere(`${root}/${sign}`)),
    hasProgram: setup.programs.isFound(PROGRAMS[agent]),
  };
}

/** Those that the project has files of, or that are on this machine, in our order. */
export function foundAgents(setup: AgentSetup, scope: HookScope): FoundAgent[] {
  return AGENTS.filter((agent) => hasScope(agent, scope))
    .map((agent) => lookForAgent(setup, agent))
    .filter(({ hasSigns, hasProgram }) => hasSigns || hasProgram);
}

export function targetOf(setup: AgentSetup, agent: AgentName, scope: HookScope): HookTarget {
  const path = hookPlace(agent, scope, setup.around);
  if (path !== undefined) return { agent, scope, path };
  const scopes = HOOK_SCOPES.filter((each) => hasScope(agent, each));
  throw new Failure("usage", `${agentTitle(agent)} has no hooks for the scope ${scope}`, {
    hint: `Use --scope ${scopes.join(" or --scope ")}. Nothing was changed.`,
  });
}
