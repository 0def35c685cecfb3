import { appendFileSync, mkdtempSync, rmSync, utimesSync, readdirSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { AgentStep } from "../../domain/agents/agent-step.ts";
import { DiskAgentMemory } from "./disk-agent-memory.ts";

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

describe("what hooks remember on disk", () => {
  let folder: string;
  let memory: DiskAgentMemory;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "waymark-memory-"));
    memory = new DiskAgentMemory(join(folder, "agents"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  it("gives a key to the first who asks, and again when its time is over", () => {
    expect(memory.claim("k", 60_000)).toBe(true);
    expect(memory.claim("k", 60_000)).toBe(false);
    expect(new DiskAgentMemory(join(folder, "agents")).claim("k", 60_000)).toBe(false);
    expect(memory.claim("other", 60_000)).toBe(true);
    const claims = join(folder, "agents", "claims");
    for (const name of readdirSync(claims)) utimesSync(join(claims, name), 1, 1);
    expect(memory.claim("k", 60_000)).toBe(true);
    expect(memory.claim("k", 60_000)).toBe(false);
  });

  it("remembers a session, whatever its id is", () => {
    const said = { since: "2026-11-16T08:00:00.000Z", turn: 2, warned: true, toldOf: "rb-1" };
    memory.remember("../../x\n", said);
    expect(memory.session("../../x\n")).toEqual(said);
    expect(memory.session("y")).toBeUndefined();
    expect(readdirSync(folder)).toEqual(["agents"]);
  });

  it("keeps steps in order and passes over what cannot be read", async () => {
    memory.recordStep(STEP);
    appendFileSync(join(folder, "agents", "steps.ndjson"), "{half\n[]\n");
    memory.recordStep({ ...STEP, checkpoint_id: "cp-2" });
    expect((await memory.steps()).map((step) => step.checkpoint_id)).toEqual(["cp-1", "cp-2"]);
  });

  it("keeps the last durations and not all of them", () => {
    for (let n = 0; n < 3000; n++) memory.recordDuration(n);
    const kept = memory.durations();
    expect(kept.at(-1)).toBe(2999);
    expect(kept.length).toBeLessThan(1500);
  });
});
