/** Cursor's payloads: snake_case with events of its own. Commands and MCP tools have events apart from those of all tools. */
import { fieldOf, textOf, textsOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import { readClaudeForm } from "./read-claude-form.ts";
import type { RawToolCall } from "./tool-call.ts";

export function readCursor(payload: Fields, eventName: string | undefined): PayloadParts {
  const parts = readClaudeForm(payload);
  const event = eventName ?? parts.eventName ?? eventOf(payload);
  return {
    ...parts,
    eventName: parts.eventName ?? eventOf(payload),
    sessionId: textOf(payload, "conversation_id", "session_id"),
    turnId: textOf(payload, "generation_id"),
    folders: [...parts.folders, ...textsOf(payload, "workspace_roots")],
    tool: toolOf(payload, parts.tool, event ?? ""),
  };
}

function eventOf(payload: Fields): string | undefined {
  return fieldOf(payload, "command") === undefined ? undefined : "beforeShellExecution";
}

function toolOf(payload: Fields, tool: RawToolCall, event: string): RawToolCall {
  if (/ShellExecution$/iu.test(event))
    return {
      ...tool,
      name: "Shell",
      input: { command: fieldOf(payload, "command"), cwd: fieldOf(payload, "cwd") },
    };
  if (/MCPExecution$/iu.test(event)) return { ...tool, mcpServer: "" };
  return tool;
}
