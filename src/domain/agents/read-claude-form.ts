/**
 * Payloads in the form that Claude Code began with: snake_case, with the name of the event. Claude, Codex, Qwen and Gemini send it, and Copilot and Cursor
 * where they run hooks that were written for Claude.
 */
import { fieldOf, recordOf, textOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";

export function readClaudeForm(payload: Fields): PayloadParts {
  const mcp = recordOf(payload, "mcp_context");
  return {
    eventName: textOf(payload, "hook_event_name") ?? eventOf(payload),
    sessionId: textOf(payload, "session_id"),
    turnId: textOf(payload, "turn_id", "prompt_id"),
    folders: [textOf(payload, "cwd")],
    prompt: textOf(payload, "prompt"),
    tool: {
      name: textOf(payload, "tool_name"),
      input: fieldOf(payload, "tool_input"),
      callId: textOf(payload, "tool_use_id"),
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
