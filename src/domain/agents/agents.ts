/** The agents whose hooks we speak, by the names that commands and settings use. */
export const AGENTS = [
  "claude",
  "codex",
  "gemini",
  "copilot",
  "cursor",
  "opencode",
  "cline",
  "qwen",
] as const;
export type AgentName = (typeof AGENTS)[number];

const TITLES: Readonly<Record<AgentName, string>> = {
  claude: "Claude Code",
  codex: "Codex",
  gemini: "Gemini CLI",
  copilot: "Copilot CLI",
  cursor: "Cursor",
  opencode: "opencode",
  cline: "Cline",
  qwen: "Qwen Code",
};

export function agentTitle(agent: AgentName): string {
  return TITLES[agent];
}

export function isAgentName(name: string): name is AgentName {
  return (AGENTS as readonly string[]).includes(name);
}
