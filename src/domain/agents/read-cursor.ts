/** Cursor's payloads: snake_case with events of its own. Commands and MCP tools have events apart from those of all tools. */
import { fieldOf, idOf, textsOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import { readClaudeForm } from "./read-claude-form.ts";
import type { RawToolCall } from "./tool-call.ts";

export function readCursor(payload: Fields, eventName: string | undefined): PayloadParts {
  const parts = readClaudeForm(payload);
  const named = parts.eventName ?? eventOf(payload);
  return {
    ...parts,
    eventName: named,
    sessionId: idOf(payload, "conversation_id", "session_id"),
    turnId: idOf(payload, "generation_id"),
    folders: [...parts.folders, ...textsOf(payload, "workspace_roots")],
    tool: toolOf(payload, parts.tool, `${eventName} ${named}`),
  };
}

function eventOf(payload: Fields): string | undefined {
  return fieldOf(payload, "command") === undefined ? undefined : "beforeShellExecution";
}

/** A server may call its tool like one of Cursor's own, so what speaks of a server counts first. */
function toolOf(payload: Fields, tool: RawToolCall, events: string): RawToolCall {
  const command = fieldOf(payload, "command");
  const isServers = tool.name !== undefined && (command ?? fieldOf(payload, "url")) !== undefined;
  if (isServers || /MCPExecution/iu.test(events)) return { ...tool, mcpServer: "" };
  if (!/ShellExecution/iu.test(events)) return tool;
  return { ...tool, name: "Shell", input: { command, cwd: fieldOf(payload, "cwd") } };
}
