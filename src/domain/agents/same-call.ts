/**
 * Agents deliver one call twice: hooks are registered in two files, and Copilot runs its own hooks and Claude's, in two forms with other names for the same
 * tool. Deliveries of one call meet at a key.
 */
import type { AgentEvent } from "./agent-event.ts";

export interface Claim {
  readonly key: string;
  readonly withinMs: number;
  /** What a later delivery learns about this one. */
  readonly as: string;
  /** Whether a later delivery is the same call, by what an earlier one called itself. */
  readonly isSame: (earlier: string) => boolean;
}

/** Longer than any tool waits for its hooks. */
const WITH_ID_MS = 3_600_000;
/** Deliveries of one call without an id come within this time; two calls that are alike and come later are two. */
const ALIKE_MS = 2000;

/** In the order in which they are to be made: the first that is somebody else's, and the same call, ends it. */
export function claimsOf(event: AgentEvent, sha256: (text: string) => string): Claim[] {
  const { agent, sessionId, moment, tool, turnId, sentAt } = event;
  const content = sha256(contentOf(event));
  const ids = [
    ...(tool?.callId === undefined ? [] : [`call ${tool.callId}`]),
    ...(moment === "prompt" && turnId !== undefined ? [`turn ${turnId}`] : []),
    ...(sentAt === undefined ? [] : [`sent ${sentAt} ${content}`]),
  ];
  const place = [agent, sessionId, moment];
  return [
    ...ids.map((id) => ({
      key: JSON.stringify([...place, "id", id]),
      withinMs: WITH_ID_MS,
      as: id,
      isSame: () => true,
    })),
    {
      key: JSON.stringify([...place, "alike", content]),
      withinMs: ALIKE_MS,
      as: ids.length === 0 ? "" : "has an id",
      // Two that both have ids are told apart by them.
      isSame: (earlier) => earlier === "" || ids.length === 0,
    },
  ];
}

/**
 * One tool has two names where it comes in two forms. Only what says all of what is to be done is the same without the name: two tools
 * that nobody knows may well be called with the same few words.
 */
function contentOf({ tool, prompt }: AgentEvent): string {
  if (tool === undefined) return JSON.stringify(["prompt", prompt ?? ""]);
  const isTelling = tool.kind === "write" || tool.kind === "shell";
  return JSON.stringify([tool.kind, isTelling ? "" : tool.name, tool.input]);
}
