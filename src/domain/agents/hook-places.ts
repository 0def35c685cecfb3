/** Where the files of agents are. */
import { AGENTS, type AgentName } from "./agents.ts";
import type { HookScope } from "./hook-scope.ts";

export interface Surroundings {
  /** Of the project; null: in none. */
  readonly root: string | null;
  /** Of the main work tree, where the project is a linked one. */
  readonly mainRoot?: string;
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface Places {
  /** In the project. */
  readonly project: string;
  /** In the folder that the agent has in the user's home. */
  readonly user: string;
  readonly local?: string;
}

/** Files, and for Cline the folder of its scripts. */
const PLACES: Readonly<Record<AgentName, Places>> = {
  claude: {
    project: ".claude/settings.json",
    user: "settings.json",
    local: ".claude/settings.local.json",
  },
  codex: { project: ".codex/hooks.json", user: "hooks.json" },
  gemini: { project: ".gemini/settings.json", user: "settings.json" },
  qwen: { project: ".qwen/settings.json", user: "settings.json" },
  copilot: { project: ".github/hooks/waymark.json", user: "hooks/waymark.json" },
  cursor: { project: ".cursor/hooks.json", user: "hooks.json" },
  opencode: { project: ".opencode/plugins/waymark.js", user: "plugins/waymark.js" },
  cline: { project: ".clinerules/hooks", user: "hooks" },
};

/** The variable that moves the agent's own folder, if it has one, and where it is without. */
const OWN_FOLDERS: Readonly<Record<AgentName, readonly [variable: string | null, usual: string]>> =
  {
    claude: ["CLAUDE_CONFIG_DIR", ".claude"],
    codex: ["CODEX_HOME", ".codex"],
    gemini: [null, ".gemini"],
    qwen: [null, ".qwen"],
    copilot: ["COPILOT_HOME", ".copilot"],
    cursor: [null, ".cursor"],
    opencode: [null, ".config/opencode"],
    cline: [null, ".cline"],
  };

/** The folder of an agent in the user's home. */
export function agentFolder(agent: AgentName, { home, env }: Surroundings): string {
  const [variable, usual] = OWN_FOLDERS[agent];
  const moved = variable === null ? undefined : env[variable];
  if (moved !== undefined && moved !== "") return moved;
  const config = env["XDG_CONFIG_HOME"];
  if (agent === "opencode" && config !== undefined && config !== "") return `${config}/opencode`;
  return `${home}/${usual}`;
}

/** Undefined: the agent has no such file, or there is no project. */
export function hookPlace(
  agent: AgentName,
  scope: HookScope,
  around: Surroundings,
): string | undefined {
  const places = PLACES[agent];
  if (scope === "user") return `${agentFolder(agent, around)}/${places.user}`;
  const path = places[scope];
  return path === undefined || around.root === null ? undefined : `${around.root}/${path}`;
}

/** The agent whose hooks a file of the project may have, by its path from the root. */
export function agentOfHookFile(path: string): AgentName | undefined {
  return AGENTS.find((agent) => {
    const { project, local } = PLACES[agent];
    return path === project || path === local || path.startsWith(`${project}/`);
  });
}

export function hasScope(agent: AgentName, scope: HookScope): boolean {
  return PLACES[agent][scope] !== undefined;
}
