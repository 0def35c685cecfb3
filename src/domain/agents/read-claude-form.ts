/**
 * Payloads in the form that Claude Code began with: snake_case, with the name of the event. Claude, Codex, Qwen and Gemini send it, and Copilot and Cursor
 * where they run hooks that were written for Claude.
 */
import { fieldOf, idOf, recordOf, textOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";

export function readClaudeForm(payload: Fields): PayloadParts {
  const mcp = recordOf(payload, "mcp_context");
  return {
    eventName: idOf(payload, "hook_event_name") ?? eventOf(payload),
    sessionId: idOf(payload, "session_id"),
    turnId: idOf(payload, "turn_id", "prompt_id"),
    folders: [textOf(payload, "cwd")],
    prompt: textOf(payload, "prompt"),
    tool: {
      name: idOf(payload, "tool_name"),
      input: fieldOf(payload, "tool_input"),
      callId: idOf(payload, "tool_use_id"),
      // Gemini says so beside the name, which need not show it.
      mcpServer: mcp === undefined ? undefined : (textOf(mcp, "server_name") ?? ""),
    },
  };
}

function eventOf(payload: Fields): string | undefined {
  if (fieldOf(payload, "tool_response") !== undefined) return "PostToolUse";
  if (fieldOf(payload, "tool_name") !== undefined) return "PreToolUse";
  return fieldOf(payload, "prompt") === undefined ? undefined : "UserPromptSubmit";
}
