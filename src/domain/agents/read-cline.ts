/** Cline's payloads: each event has an object of its own beside what is common, and hooks are files that are named after the event. */
import { fieldOf, recordOf, textOf, textsOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import type { RawToolCall } from "./tool-call.ts";

export function readCline(payload: Fields): PayloadParts {
  const prompt = recordOf(payload, "userPromptSubmit");
  return {
    eventName: EVENTS.find(([field]) => fieldOf(payload, field) !== undefined)?.[1],
    sessionId: textOf(payload, "taskId"),
    turnId: undefined,
    folders: [textOf(payload, "cwd"), ...textsOf(payload, "workspaceRoots")],
    prompt: prompt === undefined ? undefined : textOf(prompt, "prompt"),
    tool: toolOf(payload),
  };
}

const EVENTS: readonly (readonly [string, string])[] = [
  ["postToolUse", "PostToolUse"],
  ["preToolUse", "PreToolUse"],
  ["userPromptSubmit", "UserPromptSubmit"],
  ["taskStart", "TaskStart"],
  ["taskResume", "TaskResume"],
  ["taskComplete", "TaskComplete"],
  ["taskCancel", "TaskCancel"],
];

function toolOf(payload: Fields): RawToolCall {
  const use = recordOf(payload, "preToolUse") ?? recordOf(payload, "postToolUse") ?? {};
  const call = recordOf(payload, "tool_call") ?? {};
  const name = textOf(call, "name") ?? textOf(use, "toolName");
  const input = fieldOf(call, "input") ?? fieldOf(use, "parameters");
  return { name, input, callId: textOf(call, "id") };
}
