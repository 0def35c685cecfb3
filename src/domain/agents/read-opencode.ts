/**
 * What our plugin file for opencode sends, which runs in opencode's process and passes on what it is told there:
 *
 *     hook_event_name  "session.created", "chat.message", "tool.execute.before", "tool.execute.after", "session.idle" or "dispose"
 *     session_id       sessionID of opencode
 *     turn_id          messageID, where there is one
 *     cwd              the folder that the plugin was loaded for
 *     tool, call_id    with the two events of tools: the tool's name and callID
 *     args             what the tool is called with
 *     prompt           with chat.message: the text of the message
 */
import { fieldOf, idOf, textOf, type Fields } from "./payload-fields.ts";
import type { PayloadParts } from "./payload-parts.ts";

export function readOpencode(payload: Fields): PayloadParts {
  return {
    eventName: idOf(payload, "hook_event_name") ?? eventOf(payload),
    sessionId: idOf(payload, "session_id"),
    turnId: idOf(payload, "turn_id"),
    folders: [textOf(payload, "cwd")],
    prompt: textOf(payload, "prompt"),
    tool: {
      name: idOf(payload, "tool"),
      input: fieldOf(payload, "args"),
      callId: idOf(payload, "call_id"),
    },
  };
}

function eventOf(payload: Fields): string | undefined {
  if (fieldOf(payload, "tool") !== undefined) return "tool.execute.before";
  return fieldOf(payload, "prompt") === undefined ? undefined : "chat.message";
}
