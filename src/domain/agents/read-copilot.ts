/**
 * Copilot's own payloads: camelCase, without an id of the call, and hardly any names its event. Where it runs hooks of Claude's form, it sends that, with its
 * own names of what a tool is called with.
 */
import { fieldOf, idOf, textOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import { readClaudeForm } from "./read-claude-form.ts";

export function readCopilot(payload: Fields): PayloadParts {
  if (fieldOf(payload, "hook_event_name") !== undefined) return readClaudeForm(payload);
  return {
    eventName: idOf(payload, "hookName") ?? eventOf(payload),
    sessionId: idOf(payload, "sessionId"),
    turnId: undefined,
    folders: [textOf(payload, "cwd")],
    prompt: textOf(payload, "prompt"),
    tool: { name: idOf(payload, "toolName"), input: fieldOf(payload, "toolArgs") },
  };
}

/** A field that only one event has, and that event. */
const EVENTS: readonly (readonly [string, string])[] = [
  ["toolResult", "postToolUse"],
  ["toolName", "preToolUse"],
  ["prompt", "userPromptSubmitted"],
  ["source", "sessionStart"],
  ["stopReason", "agentStop"],
  ["reason", "sessionEnd"],
];

function eventOf(payload: Fields): string | undefined {
  return EVENTS.find(([field]) => fieldOf(payload, field) !== undefined)?.[1];
}
