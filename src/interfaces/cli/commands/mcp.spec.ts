import type { CommandSpec } from "../command-spec.ts";
import { BadValue } from "../command-spec.ts";

export const mcpSpec: CommandSpec = {
  name: "mcp",
  group: "Integrations",
  summary: "serve checkpoints to agents over the Model Context Protocol",
  description:
    "Speaks MCP on stdin and stdout until the client closes them; messages for people go to stderr. The tools match the commands: " +
    "create, list, show, diff, preview and roll back, undo, redo, validate, save and show sessions, resume information. A tool that " +
    "changes files shows its plan first and acts only with the plan's token or the user's consent. docs/mcp.md describes the tools, how " +
    "to set up clients, and security.\n\n" +
    "It serves one project: that of --root, else of $CLAUDE_PROJECT_DIR, else of the current folder.\n\n" +
    "With --http it listens on 127.0.0.1 instead and requires a token from every client: WAYMARK_MCP_TOKEN, else a new one, which is printed " +
    "on stderr.",
  options: [
    { flags: "--root <dir>", text: "serve the project of this folder", completes: "folder" },
    {
      flags: "--http [port]",
      text: "listen on this port of 127.0.0.1 (default: a free one)",
      parse: port,
    },
    {
      flags: "--allow-commands",
      text: "offer the tool `guard`, which runs commands chosen by the agent",
    },
  ],
  examples: [
    { command: "claude mcp add waymark -- waymark mcp", text: "set it up in Claude Code" },
    { command: "codex mcp add waymark -- waymark mcp", text: "set it up in Codex" },
    { command: "gemini mcp add waymark waymark mcp", text: "set it up in Gemini CLI" },
    {
      command: "claude mcp add --scope project waymark -- waymark mcp",
      text: "for everyone on this project: adds it to .mcp.json",
    },
    { command: "waymark mcp --http 7337", text: "for several clients, with a token" },
  ],
  kinds: [],
  load: () => import("./mcp.ts"),
};

const HIGHEST_PORT = 65_535;

function port(text: string): number {
  const number = /^\d{1,5}$/.test(text) ? Number(text) : Number.NaN;
  if (number <= HIGHEST_PORT) return number;
  throw new BadValue(`It must be a number up to ${HIGHEST_PORT}.`);
}
