/** Names and ids of an agent's event get into documents, steps and logs: what looks like a token in them is taken out before anything is done with them. */
import { redact } from "../secrets/redact.ts";
import type { AgentEvent, ToolCall } from "./agent-event.ts";

export function withoutSecrets(event: AgentEvent): AgentEvent {
  const { turnId, tool } = event;
  return {
    ...event,
    sessionId: redact(event.sessionId),
    ...(turnId === undefined ? {} : { turnId: redact(turnId) }),
    ...(tool === undefined ? {} : { tool: toolWithout(tool) }),
  };
}

function toolWithout(tool: ToolCall): ToolCall {
  const { callId } = tool;
  return {
    ...tool,
    // Servers and tools of MCP are joined by two of them, and a token has to begin a word to be known.
    name: tool.name.split("__").map(redact).join("__"),
    ...(callId === undefined ? {} : { callId: redact(callId) }),
  };
}
