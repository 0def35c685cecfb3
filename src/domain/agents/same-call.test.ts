import { describe, expect, it } from "vitest";
import type { AgentEvent } from "./agent-event.ts";
import { claimsOf } from "./same-call.ts";

const CALL: AgentEvent = {
  agent: "copilot",
  moment: "pre_tool",
  eventName: "preToolUse",
  sessionId: "s",
  tool: { name: "create", kind: "write", paths: ["a"], input: '{"path":"a"}' },
};

/** A memory in which nothing gets old but what is alike. */
function deliveries(): (event: AgentEvent, isLater?: boolean) => boolean {
  const held = new Map<string, string>();
  return (event, isLater = false) => {
    const same = claimsOf(event, (text) => text).some(({ key, withinMs, as, isSame }) => {
      const earlier = isLater && withinMs < 60_000 ? undefined : held.get(key);
      if (earlier === undefined) held.set(key, as);
      return earlier !== undefined && isSame(earlier);
    });
    return !same;
  };
}

const withId = (callId: string, event = CALL): AgentEvent => ({
  ...event,
  ...(event.tool === undefined ? {} : { tool: { ...event.tool, callId } }),
});
const named = (name: string, event = CALL): AgentEvent => ({
  ...event,
  ...(event.tool === undefined ? {} : { tool: { ...event.tool, name } }),
});

describe("deliveries of one call", () => {
  it("meet at the id of the call, however late they come", () => {
    const isNew = deliveries();
    expect(isNew(withId("1"))).toBe(true);
    expect(isNew(withId("1"), true)).toBe(false);
    expect(isNew(withId("2"))).toBe(true);
  });

  it("meet at the time that the agent gives both forms", () => {
    const isNew = deliveries();
    const at = { sentAt: "2026-11-16T08:42:47.250Z" };
    expect(isNew({ ...CALL, ...at })).toBe(true);
    expect(isNew({ ...named("Write"), ...at }, true)).toBe(false);
    expect(isNew({ ...CALL, sentAt: "2026-11-16T08:42:47.900Z" })).toBe(true);
    const other = { ...CALL, ...at, tool: { ...withId("9").tool!, input: "{}" } };
    expect(isNew(other)).toBe(true);
  });

  it("meet in the short time after the first when one of them has no id", () => {
    const isNew = deliveries();
    expect(isNew(CALL)).toBe(true);
    expect(isNew(withId("1", named("Write")))).toBe(false);
    expect(isNew(CALL, true)).toBe(true);
    const other = deliveries();
    expect(other(withId("1", named("Write")))).toBe(true);
    expect(other(CALL)).toBe(false);
  });

  it("do not meet when all that two unknown tools have in common is what they are called with", () => {
    const isNew = deliveries();
    const unknown = {
      ...CALL,
      tool: { name: "x", kind: "other", paths: [], input: "{}" },
    } as const;
    expect(isNew(unknown)).toBe(true);
    expect(isNew(named("y", unknown))).toBe(true);
    expect(isNew(named("y", unknown))).toBe(false);
  });

  it("do not meet across moments, sessions and agents", () => {
    const isNew = deliveries();
    expect(isNew(withId("1"))).toBe(true);
    expect(isNew({ ...withId("1"), moment: "post_tool" })).toBe(true);
    expect(isNew({ ...withId("1"), sessionId: "t" })).toBe(true);
    expect(isNew({ ...withId("1"), agent: "claude" })).toBe(true);
  });

  it("a tool belongs to the prompt before it, and is not the same", () => {
    const isNew = deliveries();
    const { tool: _, ...prompt } = { ...CALL, moment: "prompt", prompt: "x", turnId: "t" } as const;
    expect(isNew(prompt)).toBe(true);
    expect(isNew(prompt, true)).toBe(false);
    expect(isNew({ ...withId("1"), turnId: "t" })).toBe(true);
    expect(isNew({ ...withId("2"), turnId: "t" })).toBe(true);
  });
});
