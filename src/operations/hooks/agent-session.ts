/** What is remembered about an agent's session from one hook to the next. */
import type { AgentEvent } from "../../domain/agents/agent-event.ts";
import type { AgentMemory, AgentSessionMemory } from "../../ports/agent-memory.ts";

/** Payloads without a session are of one that has no name. */
export function sessionKey({ agent, sessionId }: Pick<AgentEvent, "agent" | "sessionId">): string {
  return sessionId === "" ? `(${agent})` : sessionId;
}

export function rememberSession(
  memory: AgentMemory,
  key: string,
  now: Date,
  change: (before: AgentSessionMemory) => AgentSessionMemory,
): AgentSessionMemory {
  return memory.update(key, (before) => change(before ?? newSession(now)));
}

export function newSession(now: Date): AgentSessionMemory {
  return {
    since: now.toISOString(),
    turn: 0,
    prompt: null,
    warned: false,
    toldOf: null,
    toldUnfinished: null,
    toldSettings: null,
    toldLeftOut: [],
  };
}
