/** One tool call in the form of all agents: what it may do, and to which files. */
import type { ToolCall, ToolKind } from "./agent-event.ts";
import type { AgentName } from "./agents.ts";
import { namedPaths } from "./named-paths.ts";
import { textOfValue, unpacked } from "./payload-fields.ts";
import { TOOL_LISTS } from "./tool-lists.ts";

export interface RawToolCall {
  readonly name: string | undefined;
  readonly input: unknown;
  readonly callId?: string | undefined;
  /** The MCP server whose tool it is, where that is not part of the name; empty: some server. */
  readonly mcpServer?: string | undefined;
}

/**
 * Our own MCP tools as agents call them, with the server's name in front: they take their own checkpoints. Claude and Codex, our plugin, Gemini, opencode
 * and Copilot, in this order.
 */
const OUR_TOOL =
  /^(?:mcp__waymark__|mcp__plugin_waymark_waymark__|mcp_waymark_|waymark_|waymark-)\w+$/u;
const OUR_SERVER = "waymark";

/** A payload that names no tool is about some tool nevertheless. */
const NAMELESS = "unknown";

export function toolCall(agent: AgentName, raw: RawToolCall): ToolCall {
  const { name = NAMELESS, callId } = raw;
  const input = unpacked(raw.input);
  const kind = kindOf(agent, name, raw.mcpServer);
  const paths = kind === "write" ? namedPaths(input) : [];
  return {
    name,
    // A tool that writes, but what it names is not said in a way that we know: it might be anything.
    kind: kind === "write" && paths.length === 0 ? "other" : kind,
    paths,
    ...(callId === undefined ? {} : { callId }),
    input: textOfValue(input),
  };
}

function kindOf(agent: AgentName, name: string, mcpServer: string | undefined): ToolKind {
  if (mcpServer === OUR_SERVER || OUR_TOOL.test(name)) return "read";
  if (mcpServer !== undefined) return "other";
  const { read, write, shell } = TOOL_LISTS[agent];
  if (read.has(name)) return "read";
  if (write.has(name)) return "write";
  return shell.has(name) ? "shell" : "other";
}
