/** Files and folders by which agents and workflows are known. */
export interface KnownTool {
  readonly name: string;
  /** Relative to the project's root; one of them is enough. */
  readonly signs: readonly string[];
}

export const KNOWN_AGENTS: readonly KnownTool[] = [
  { name: "claude", signs: [".claude", "CLAUDE.md"] },
  { name: "cline", signs: [".clinerules"] },
  { name: "codex", signs: [".codex"] },
  { name: "copilot", signs: [".github/copilot-instructions.md", ".github/copilot"] },
  { name: "cursor", signs: [".cursor", ".cursorrules"] },
  { name: "gemini", signs: [".gemini", "GEMINI.md"] },
  { name: "opencode", signs: [".opencode", "opencode.json"] },
  { name: "qwen", signs: [".qwen", "QWEN.md"] },
];

export const KNOWN_WORKFLOWS: readonly KnownTool[] = [
  { name: "flowspec", signs: ["flowspec_workflow.yml", ".flowspec"] },
  { name: "checkpoint-config", signs: [".claude/checkpoint-config.yaml"] },
  { name: "backlog", signs: ["backlog/config.yml", "backlog/tasks", "Backlog.md"] },
];

export function toolsFound(
  tools: readonly KnownTool[],
  isThere: (path: string) => boolean,
): string[] {
  return tools.filter(({ signs }) => signs.some(isThere)).map(({ name }) => name);
}
