/** What every memory of hooks has to do. Each adapter's test runs it. */
import { beforeEach, describe, expect, it } from "vitest";
import type { AgentStep } from "../domain/agents/agent-step.ts";
import type { HookFailure } from "../domain/agents/hook-failure.ts";
import type { AgentMemory, AgentSessionMemory } from "./agent-memory.ts";

export interface AgentMemorySubject {
  /** Empty at the beginning. */
  readonly memory: AgentMemory;
  /** The same storage, as another process sees it. */
  reopen(): AgentMemory;
}

const STEP: AgentStep = {
  at: "2026-11-16T08:00:00.000Z",
  checkpoint_id: "cp-1",
  agent: "claude",
  agent_session_id: "s1",
  moment: "pre_tool",
  turn: 1,
  tool: "Write",
  tool_kind: "write",
  tool_use_id: "t1",
  paths: ["a.txt"],
};

const FAILURE: HookFailure = {
  at: "2026-11-16T08:00:00.000Z",
  agent: "claude",
  agent_session_id: "s1",
  moment: "pre_tool",
  code: "disk_full",
  message: "no space is left on the disk",
};

const SESSION: AgentSessionMemory = {
  since: "2026-11-16T08:00:00.000Z",
  prompt: "fix the login test",
  turn: 2,
  warned: true,
  toldOf: "rb-1",
  toldUnfinished: "rb-2",
  toldSettings: "not in effect",
  toldLeftOut: [".env"],
};

const MINUTE = 60_000;

export function agentMemorySuite(make: () => AgentMemorySubject): void {
  describe("the contract of memories of hooks", () => {
    let memory: AgentMemory;
    let reopen: () => AgentMemory;

    beforeEach(() => {
      const subject = make();
      memory = subject.memory;
      reopen = () => subject.reopen();
    });

    it("gives one turn at a time, and none to who cannot wait for it", async () => {
      const first = await memory.takeTurn(0);
      expect(first).toBeDefined();
      expect(await reopen().takeTurn(20)).toBeUndefined();
      const next = reopen().takeTurn(MINUTE);
      first?.release();
      const second = await next;
      expect(second).toBeDefined();
      expect(await memory.takeTurn(0)).toBeUndefined();
      second?.release();
      expect(await memory.takeTurn(0)).toBeDefined();
    });

    it("remembers what was done, whatever its key is", () => {
      const at = "2026-11-16T08:00:00.000Z";
      expect(memory.done("../k")).toBeUndefined();
      memory.recordDone(["../k", "__proto__"], { at, hasId: false });
      expect(reopen().done("../k")).toEqual({ at, hasId: false });
      expect(reopen().done("__proto__")).toEqual({ at, hasId: false });
      memory.recordDone(["../k"], { at, hasId: true });
      expect(memory.done("../k")).toEqual({ at, hasId: true });
      expect(memory.done("other")).toBeUndefined();
      memory.recordDone(["work"], { at, hasId: true, work: "of a tool" });
      expect(reopen().done("work")).toEqual({ at, hasId: true, work: "of a tool" });
    });

    it("remembers the last calls that were done, and not all of them", () => {
      const at = "2026-11-16T08:00:00.000Z";
      for (let n = 0; n < 1000; n++) memory.recordDone([`${n}`, `${n} too`], { at, hasId: true });
      expect(memory.done("999 too")).toBeDefined();
      expect(memory.done("900")).toBeDefined();
      expect(memory.done("0")).toBeUndefined();
    });

    it("remembers a session, whatever its id is", () => {
      expect(memory.session("../../x\n")).toBeUndefined();
      expect(memory.update("../../x\n", () => SESSION)).toEqual(SESSION);
      expect(reopen().session("../../x\n")).toEqual(SESSION);
      expect(memory.session("y")).toBeUndefined();
    });

    it("changes what is there and not what was read before", () => {
      memory.update("s", () => SESSION);
      reopen().update("s", (before) => ({ ...(before ?? SESSION), turn: 7 }));
      const changed = memory.update("s", (before) => ({ ...(before ?? SESSION), warned: false }));
      expect(changed).toEqual({ ...SESSION, turn: 7, warned: false });
    });

    it("keeps steps, failures and durations in order", async () => {
      memory.recordStep(STEP);
      reopen().recordStep({ ...STEP, checkpoint_id: "cp-2" });
      expect(await memory.steps()).toEqual([STEP, { ...STEP, checkpoint_id: "cp-2" }]);
      memory.recordFailure(FAILURE);
      reopen().recordFailure({ ...FAILURE, code: "locked" });
      expect(memory.failures()).toEqual([FAILURE, { ...FAILURE, code: "locked" }]);
      memory.recordDuration(12.4);
      memory.recordDuration(7);
      expect(reopen().durations()).toEqual([12, 7]);
    });

    it("forgets the oldest failures and durations at some time", () => {
      const most = 3000;
      for (let n = 0; n < most; n++) {
        memory.recordDuration(n);
        memory.recordFailure({ ...FAILURE, message: `${n} ${"x".repeat(200)}` });
      }
      expect(memory.durations().at(-1)).toBe(most - 1);
      expect(memory.durations().length).toBeLessThan(most / 2);
      expect(memory.failures().at(-1)?.message).toMatch(/^2999 /);
      expect(memory.failures().length).toBeLessThan(most / 2);
    });
  });
}
