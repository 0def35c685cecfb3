import { describe, expect, it } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { deliveryOf, repeatOf, type DoneDelivery, type Repeat } from "./same-call.ts";

const CALL: AgentEvent = {
  agent: "copilot",
  moment: "pre_tool",
  eventName: "preToolUse",
  sessionId: "s",
  tool: { name: "create", kind: "write", paths: ["a"], input: '{"path":"a"}' },
};

/** Deliveries, each so many milliseconds after the first, and what they repeat. */
function deliveries(): (event: AgentEvent, afterMs?: number) => Repeat | undefined {
  const held = new Map<string, DoneDelivery>();
  const begin = Date.parse("2026-11-16T08:00:00.000Z");
  return (event, afterMs = 0) => {
    const at = new Date(begin + afterMs);
    const delivery = deliveryOf(event, at, (text) => text, event.tool?.paths);
    const repeat = repeatOf(delivery, (key) => held.get(key));
    if (repeat !== "same") for (const { key } of delivery.keys) held.set(key, delivery);
    return repeat;
  };
}

const PROMPT: AgentEvent = {
  agent: "codex",
  moment: "prompt",
  eventName: "UserPromptSubmit",
  sessionId: "s",
  prompt: "x",
  turnId: "t",
};

const withId = (callId: string, event = CALL): AgentEvent => ({
  ...event,
  ...(event.tool === undefined ? {} : { tool: { ...event.tool, callId } }),
});
const named = (name: string, event = CALL): AgentEvent => ({
  ...event,
  ...(event.tool === undefined ? {} : { tool: { ...event.tool, name } }),
});

describe("deliveries of one call", () => {
  it("meet at the id of the call, also when one had to wait", () => {
    const repeats = deliveries();
    expect(repeats(withId("1"))).toBeUndefined();
    expect(repeats(withId("1"), 20_000)).toBe("same");
    expect(repeats(withId("2"))).toBeUndefined();
  });

  it("are sure to be one only if the id and what it is called with are the same", () => {
    const repeats = deliveries();
    expect(repeats(withId("call_0"))).toBeUndefined();
    const other = { ...CALL, tool: { ...CALL.tool!, callId: "call_0", input: "{}" } };
    expect(repeats(other)).toBe("alike");
    // A model that counts its calls anew in each turn.
    expect(repeats(withId("call_0"), 90_000)).toBeUndefined();
  });

  it("are not one if they have the same id and are about other files, or other commands", () => {
    const repeats = deliveries();
    expect(repeats(withId("call_0"))).toBeUndefined();
    const other = { ...CALL, tool: { ...CALL.tool!, callId: "call_0", paths: ["b"] } };
    expect(repeats({ ...other, tool: { ...other.tool, input: '{"path":"b"}' } })).toBeUndefined();
    const shell = (input: string): AgentEvent => ({
      ...CALL,
      tool: { name: "bash", kind: "shell", paths: [], input, callId: "call_0" },
    });
    expect(repeats(shell("make"))).toBeUndefined();
    expect(repeats(shell("make clean"))).toBeUndefined();
    expect(repeats(shell("make clean"))).toBe("same");
  });

  it("meet at the time that the agent gives both forms", () => {
    const repeats = deliveries();
    const at = { sentAt: "2026-11-16T08:42:47.250Z" };
    expect(repeats({ ...CALL, ...at })).toBeUndefined();
    expect(repeats({ ...named("Write"), ...at }, 5000)).toBe("same");
    expect(repeats({ ...CALL, sentAt: "2026-11-16T08:42:47.900Z" })).toBeUndefined();
    const other = { ...CALL, ...at, tool: { ...withId("9").tool!, input: "{}" } };
    expect(repeats(other)).toBeUndefined();
  });

  it("may be one in the short time after the first when one of them has no id", () => {
    const repeats = deliveries();
    expect(repeats(CALL)).toBeUndefined();
    expect(repeats(withId("1", named("Write")), 1000)).toBe("alike");
    expect(repeats(CALL, 4000)).toBeUndefined();
    const other = deliveries();
    expect(other(withId("1", named("Write")))).toBeUndefined();
    expect(other(CALL)).toBe("alike");
  });

  it("do not meet when all that two unknown tools have in common is what they are called with", () => {
    const repeats = deliveries();
    const unknown = {
      ...CALL,
      tool: { name: "x", kind: "other", paths: [], input: "{}" },
    } as const;
    expect(repeats(unknown)).toBeUndefined();
    expect(repeats(named("y", unknown))).toBeUndefined();
    expect(repeats(named("y", unknown))).toBe("alike");
  });

  it("do not meet across moments, sessions and agents", () => {
    const repeats = deliveries();
    expect(repeats(withId("1"))).toBeUndefined();
    expect(repeats({ ...withId("1"), moment: "post_tool" })).toBeUndefined();
    expect(repeats({ ...withId("1"), sessionId: "t" })).toBeUndefined();
    expect(repeats({ ...withId("1"), agent: "claude" })).toBeUndefined();
  });

  it("a tool belongs to the prompt before it, and is not the same", () => {
    const repeats = deliveries();
    expect(repeats(PROMPT)).toBeUndefined();
    expect(repeats(PROMPT, 5000)).toBe("same");
    expect(repeats({ ...withId("1"), turnId: "t" })).toBeUndefined();
    expect(repeats({ ...withId("2"), turnId: "t" })).toBeUndefined();
  });

  it("a turn can have another prompt, which is not the first", () => {
    const repeats = deliveries();
    expect(repeats(PROMPT)).toBeUndefined();
    expect(repeats({ ...PROMPT, prompt: "no, wait" })).toBeUndefined();
  });

  it.each(["turn_end", "session_end"] as const)("each %s is one of its own", (moment) => {
    const repeats = deliveries();
    const { tool: _, ...end } = { ...CALL, moment, turnId: "t" };
    expect(repeats(end)).toBeUndefined();
    expect(repeats(end)).toBeUndefined();
    const sent = { ...end, sentAt: "2026-11-16T08:42:47.250Z" };
    expect(repeats(sent)).toBeUndefined();
    expect(repeats(sent)).toBe("same");
  });
});
