/** Cline's payloads: each event has an object of its own beside what is common, and hooks are files that are named after the event. */
import type { AgentMoment } from "./agent-event.ts";
import { fieldOf, idOf, recordOf, textOf, textsOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";
import type { RawToolCall } from "./tool-call.ts";

export function readCline(payload: Fields): PayloadParts {
  const task = idOf(payload, "taskId");
  // The editor has no session apart from the task, which then lasts for many prompts.
  const session = idOf(recordOf(payload, "sessionContext") ?? {}, "rootSessionId");
  const prompt = recordOf(payload, "userPromptSubmit");
  return {
    eventName: EVENTS.find(([field]) => fieldOf(payload, field) !== undefined)?.[1],
    moment: MOMENTS.get(textOf(payload, "hookName") ?? ""),
    sessionId: session ?? task,
    turnId: session === undefined ? undefined : task,
    folders: [textOf(payload, "cwd"), ...textsOf(payload, "workspaceRoots")],
    prompt: prompt === undefined ? undefined : textOf(prompt, "prompt"),
    tool: toolOf(payload),
  };
}

/** Its command line starts a task with each prompt and does not always tell of the prompt itself. */
const MOMENTS = new Map<string, AgentMoment>([
  ["agent_start", "prompt"],
  ["agent_resume", "prompt"],
  ["prompt_submit", "other"],
]);

const EVENTS: readonly (readonly [string, string])[] = [
  ["postToolUse", "PostToolUse"],
  ["preToolUse", "PreToolUse"],
  ["userPromptSubmit", "UserPromptSubmit"],
  ["taskStart", "TaskStart"],
  ["taskResume", "TaskResume"],
  ["taskComplete", "TaskComplete"],
  ["taskCancel", "TaskCancel"],
  ["taskError", "TaskError"],
];

function toolOf(payload: Fields): RawToolCall {
  const use = recordOf(payload, "preToolUse") ?? recordOf(payload, "postToolUse") ?? {};
  const call = recordOf(payload, "tool_call") ?? recordOf(payload, "tool_result") ?? {};
  const name = idOf(call, "name") ?? idOf(use, "toolName");
  const input = fieldOf(call, "input") ?? fieldOf(use, "parameters");
  return { name, input, callId: idOf(call, "id") };
}
