import type { CommandSpec } from "../command-spec.ts";
import { BadValue } from "../command-spec.ts";

export const mcpSpec: CommandSpec = {
  name: "mcp",
  group: "Machines",
  summary: "serve checkpoints to agents by the Model Context Protocol",
  description:
    "Speaks MCP on stdin and stdout until the client closes them; what it says to people goes to stderr. The tools are those of the command line: create, list, show, " +
    "diff, preview and roll back, undo, redo, validate, save and show sessions, resume information. What changes files shows its plan first and acts only " +
    "with the plan's token or the user's yes. docs/mcp.md has the list, how clients are set up, and what is protected how.\n\n" +
    "It serves one project: that of --root, else of $CLAUDE_PROJECT_DIR, else of the folder that it is started in.\n\n" +
    "With --http it listens on 127.0.0.1 instead and asks every client for a token: that of the variable WAYMARK_MCP_TOKEN, else a new one, which is printed " +
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
      text: "offer the tool `guard`, which runs commands that the agent names",
    },
  ],
  examples: [
    { command: "claude mcp add waymark -- waymark mcp", text: "set it up in Claude Code" },
    { command: "codex mcp add waymark -- waymark mcp", text: "set it up in Codex" },
    { command: "gemini mcp add waymark waymark mcp", text: "set it up in Gemini CLI" },
    {
      command: "claude mcp add --scope project waymark -- waymark mcp",
      text: "for everybody who works on this project: adds it to .mcp.json",
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
