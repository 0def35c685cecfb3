import { describe, expect, it } from "vitest";
import { DEFAULT_CONFIG, type Config, type Strategy } from "../config.ts";
import { postCheckpoint, preCheckpoint, stepOf } from "./strategy.ts";

function settings(strategy: Strategy, phases: Partial<Config["phases"]> = {}): Config {
  return {
    ...DEFAULT_CONFIG,
    strategy,
    phases: { ...DEFAULT_CONFIG.phases, always: [], ...phases },
  };
}

describe("preCheckpoint", () => {
  it.each([
    ["manual", "implement", undefined, "none"],
    ["manual", "plan", true, "none"],
    ["before_modify", "implement", undefined, "take"],
    ["before_modify", "plan", undefined, "none"],
    ["before_modify", "plan", true, "take"],
    ["before_modify", "implement", false, "none"],
    ["before_all", "plan", undefined, "take"],
    ["before_all", "anything", undefined, "take"],
    ["smart", "implement", undefined, "if_dirty"],
    ["smart", "plan", undefined, "none"],
    ["smart", "plan", true, "if_dirty"],
  ] as const)("%s before %s (modifies: %s): %s", (strategy, name, modifies, kind) => {
    expect(preCheckpoint(settings(strategy), { name, modifies }).kind).toBe(kind);
  });

  it("takes one before the first phase, unless the strategy is manual", () => {
    for (const strategy of ["before_modify", "before_all", "smart"] as const) {
      const first = { name: "plan", isFirst: true };
      expect(preCheckpoint(settings(strategy), first).kind).toBe("take");
      expect(preCheckpoint(settings(strategy, { never: ["plan"] }), first).kind).toBe("none");
    }
    expect(preCheckpoint(settings("manual"), { name: "plan", isFirst: true }).kind).toBe("none");
  });

  it("takes one before what is always to have one, whatever the strategy", () => {
    for (const strategy of ["manual", "before_modify", "before_all", "smart"] as const) {
      const given = settings(strategy, { always: ["plan"] });
      expect(preCheckpoint(given, { name: "plan" }).kind).toBe("take");
      expect(postCheckpoint(given, { name: "plan" })).toBe(true);
    }
  });

  it("takes none around what is never to have one", () => {
    for (const strategy of ["manual", "before_modify", "before_all", "smart"] as const) {
      const given = settings(strategy, { always: ["plan"], never: ["plan"] });
      expect(preCheckpoint(given, { name: "plan", modifies: true }).kind).toBe("none");
      expect(postCheckpoint(given, { name: "plan" })).toBe(false);
    }
  });

  it("takes none when transitions are switched off", () => {
    const given = {
      ...settings("before_all"),
      triggers: { ...DEFAULT_CONFIG.triggers, phaseTransition: false },
    };
    expect(preCheckpoint(given, { name: "implement" })).toMatchObject({ kind: "none" });
    expect(postCheckpoint(given, { name: "implement" })).toBe(false);
  });
});

describe("stepOf", () => {
  const order = DEFAULT_CONFIG.phases.order;
  it.each([
    [[], "implement", 5],
    [[{ name: "implement", step: 2 }], "implement", 2],
    [[], "own", 1],
    [[{ name: "implement", step: 5 }], "own", 6],
    [[{ name: "own", step: 1 }], "assess", 2],
  ])("after %j: %s is number %i", (known, name, step) => {
    expect(stepOf(order, known, name)).toBe(step);
  });
});
