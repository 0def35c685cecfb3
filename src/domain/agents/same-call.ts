/**
 * Agents deliver one call twice: hooks are registered in two files, and Copilot runs its own hooks and Claude's, in two forms with other names for the same
 * tool. Deliveries of one call meet at a key, under which is remembered that its work was done.
 */
import type { AgentEvent } from "./agent-event.ts";

/** What is remembered of a delivery whose work was done. */
export interface DoneDelivery {
  /** When it came. */
  readonly at: string;
  /** It has something that tells it apart from others that are alike. */
  readonly hasId: boolean;
  /** What tells the step of a tool apart: the files that it names, else all that it is called with. Not there: no tool, or an earlier version wrote it. */
  readonly work?: string;
}

/**
 * `same`: there is nothing left to do. `alike`: perhaps the same call, perhaps another; only if nothing changed since is there nothing to do.
 */
export type Repeat = "same" | "alike";

export interface DeliveryKey {
  readonly key: string;
  readonly means: Repeat;
  readonly withinMs: number;
  /** It says nothing about two that both have ids: those are told apart by them. */
  readonly isWithoutIds?: true;
}

export interface Delivery extends DoneDelivery {
  /** Every delivery of this call has at least one of them. */
  readonly keys: readonly DeliveryKey[];
}

/** Deliveries of one call come within this time, however long each waits for the one before. Some models give the same ids again, later. */
const WITH_ID_MS = 60_000;
/** Deliveries of one call without an id come within this time; two calls that are alike and come later are two. */
const ALIKE_MS = 2000;

export function deliveryOf(
  event: AgentEvent,
  at: Date,
  sha256: (text: string) => string,
  /** What the tool names, from the project's root: forms of one call may name it differently. */
  paths: readonly string[] = [],
): Delivery {
  const { agent, sessionId, moment, tool, turnId, sentAt } = event;
  const content = sha256(contentOf(event));
  const key = (means: Repeat, withinMs: number, ...words: readonly string[]): DeliveryKey => ({
    key: JSON.stringify([agent, sessionId, moment, ...words]),
    means,
    withinMs,
  });
  const call = tool?.callId;
  const ids = [
    ...(call === undefined ? [] : [key("same", WITH_ID_MS, "call", call, content)]),
    // One turn can have several prompts: what its user types while the agent works.
    ...(moment === "prompt" && turnId !== undefined
      ? [key("same", WITH_ID_MS, "turn", turnId, content)]
      : []),
    ...(sentAt === undefined ? [] : [key("same", WITH_ID_MS, "sent", sentAt, content)]),
  ];
  const isRepeatable = moment === "pre_tool" || moment === "prompt";
  return {
    at: at.toISOString(),
    hasId: ids.length > 0,
    ...(tool === undefined
      ? {}
      : { work: tool.kind === "write" ? sha256(JSON.stringify(paths)) : content }),
    keys: [
      ...ids,
      // In two forms what it is called with may differ.
      ...(call === undefined ? [] : [key("alike", WITH_ID_MS, "call", call)]),
      // The end of a turn has no content: two of them are two.
      ...(isRepeatable
        ? [{ ...key("alike", ALIKE_MS, "alike", content), isWithoutIds: true as const }]
        : []),
    ],
  };
}

/** `done`: what is remembered under a key. */
export function repeatOf(
  { at, hasId, work, keys }: Delivery,
  done: (key: string) => DoneDelivery | undefined,
): Repeat | undefined {
  const found = keys.filter(({ key, means, withinMs, isWithoutIds }) => {
    const earlier = done(key);
    if (earlier === undefined || (isWithoutIds && hasId && earlier.hasId)) return false;
    // Some models give the same id to the next call.
    if (means === "alike" && earlier.work !== undefined && earlier.work !== work) return false;
    return Math.abs(Date.parse(at) - Date.parse(earlier.at)) <= withinMs;
  });
  return found.find(({ means }) => means === "same")?.means ?? found[0]?.means;
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
