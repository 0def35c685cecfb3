import {
  appendFileSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { agentMemorySuite } from "../../ports/agent-memory.suite.ts";
import { DiskAgentMemory } from "./disk-agent-memory.ts";

describe("what hooks remember on disk", () => {
  let folder: string;
  const memory = (): DiskAgentMemory => new DiskAgentMemory(join(folder, "agents"));
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "waymark-memory-"));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  agentMemorySuite(() => ({ memory: memory(), reopen: memory }));

  it("keeps to its folder, whatever a session is called", () => {
    memory().recordDone(["../a/../b"], { at: "2026-11-16T08:00:00.000Z", hasId: true });
    memory().update("../../x\0", () => ({
      since: "2026-11-16T08:00:00.000Z",
      turn: 0,
      prompt: null,
      warned: false,
      toldOf: null,
      toldUnfinished: null,
      toldSettings: null,
      toldLeftOut: [],
    }));
    expect(readdirSync(folder)).toEqual(["agents"]);
    expect(readdirSync(join(folder, "agents")).toSorted()).toEqual(["done.json", "sessions"]);
    expect(readdirSync(join(folder, "agents", "sessions"))).toHaveLength(1);
  });

  it("passes over what cannot be read", async () => {
    mkdirSync(join(folder, "agents"));
    appendFileSync(join(folder, "agents", "steps.ndjson"), '{half\n[]\nnull\n{"at":1}\n');
    appendFileSync(join(folder, "agents", "failures.ndjson"), '{half\n[]\n{"at":"x"}\n');
    writeFileSync(join(folder, "agents", "durations"), "x\n\n5\n");
    writeFileSync(join(folder, "agents", "done.json"), '[null, 1, {"name":"x"}]');
    expect(memory().done("x")).toBeUndefined();
    memory().recordDone(["x"], { at: "2026-11-16T08:00:00.000Z", hasId: true });
    expect(memory().done("x")).toBeDefined();
    expect(await memory().steps()).toEqual([]);
    expect(memory().failures()).toEqual([]);
    expect(memory().durations()).toEqual([5]);
  });
});
