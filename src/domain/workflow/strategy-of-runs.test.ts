import { describe, expect, it } from "vitest";
import type { Strategy } from "../config.ts";
import { dependsOnDirt, takesPostCheckpoint, takesPreCheckpoint } from "./strategy.ts";

const settings = (strategy: Strategy, always: string[] = [], never: string[] = []) => ({
  strategy,
  phases: { modify: ["implement"], always, never },
});
const phase = (name: string, modifies: boolean | null = null) => ({ name, modifies });

describe("the checkpoint before a phase", () => {
  it.each<[Strategy, string, boolean | null, boolean, boolean]>([
    ["manual", "implement", true, true, false],
    ["before_modify", "implement", null, false, true],
    ["before_modify", "plan", null, true, false],
    ["before_modify", "plan", true, false, true],
    ["before_modify", "implement", false, true, false],
    ["before_all", "plan", false, false, true],
    ["smart", "implement", null, true, true],
    ["smart", "implement", null, false, false],
    ["smart", "plan", null, true, false],
  ])("%s, %s, modifies %s, dirty %s: %s", (strategy, name, modifies, isDirty, expected) => {
    expect(takesPreCheckpoint(settings(strategy), phase(name, modifies), isDirty)).toBe(expected);
  });

  it("is always taken for phases that are named so, and never for those that are named that", () => {
    expect(takesPreCheckpoint(settings("manual", ["plan"]), phase("plan"), false)).toBe(true);
    expect(takesPreCheckpoint(settings("before_all", ["x"], ["x"]), phase("x"), true)).toBe(false);
  });

  it("depends on the work tree only where the strategy is smart and nothing else decides", () => {
    expect(dependsOnDirt(settings("smart"), phase("implement"))).toBe(true);
    expect(dependsOnDirt(settings("smart", ["implement"]), phase("implement"))).toBe(false);
    expect(dependsOnDirt(settings("before_all"), phase("implement"))).toBe(false);
  });
});

describe("the checkpoint after a phase", () => {
  it("is taken unless the user takes them by hand, or names the phase", () => {
    expect(takesPostCheckpoint(settings("before_modify"), phase("plan"))).toBe(true);
    expect(takesPostCheckpoint(settings("manual"), phase("plan"))).toBe(false);
    expect(takesPostCheckpoint(settings("manual", ["plan"]), phase("plan"))).toBe(true);
    expect(takesPostCheckpoint(settings("before_all", [], ["plan"]), phase("plan"))).toBe(false);
  });
});
