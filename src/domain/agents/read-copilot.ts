/** Copilot's own payloads: camelCase, and none names its event or its call. Where it runs hooks of Claude's form, it sends that. */
import { fieldOf, textOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import { readClaudeForm } from "./read-claude-form.ts";

export function readCopilot(payload: Fields): PayloadParts {
  if (fieldOf(payload, "hook_event_name") !== undefined) return readClaudeForm(payload);
  return {
    eventName: eventOf(payload),
    sessionId: textOf(payload, "sessionId"),
    turnId: undefined,
    folders: [textOf(payload, "cwd")],
    prompt: textOf(payload, "prompt"),
    tool: { name: textOf(payload, "toolName"), input: fieldOf(payload, "toolArgs") },
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
