/** What the reader of one agent's payloads finds in one; from there on all agents are the same. */
import type { AgentMoment } from "./agent-event.ts";
import type { RawToolCall } from "./tool-call.ts";

export interface PayloadParts {
  /** The agent's word for what happens; where it does not say, the one that the other fields speak of. */
  readonly eventName: string | undefined;
  /** Where the name of the event alone would mislead. */
  readonly moment?: AgentMoment | undefined;
  readonly sessionId: string | undefined;
  readonly turnId: string | undefined;
  /** Where the agent works, the likeliest first. */
  readonly folders: readonly (string | undefined)[];
  readonly prompt: string | undefined;
  /** Of use only where the event is about a tool. */
  readonly tool: RawToolCall;
}
