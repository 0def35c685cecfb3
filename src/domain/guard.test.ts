import { describe, expect, it } from "vitest";
import { endOf, guardEnvironment, guardsAround, SKIPPED, type StepReport } from "./guard.ts";

const DONE: StepReport = { ...SKIPPED, skipped: false, exitCode: 0, ok: true };

describe("the end of a step", () => {
  it.each<[string, StepReport]>([
    ["ok", DONE],
    ["not run", SKIPPED],
    ["exit 3", { ...DONE, ok: false, exitCode: 3 }],
    ["ended by SIGKILL", { ...DONE, ok: false, exitCode: 137, signal: "SIGKILL" }],
    ["timed out", { ...DONE, ok: false, exitCode: 143, signal: "SIGTERM", timedOut: true }],
    ["no such thing", { ...DONE, ok: false, exitCode: null, error: "no such thing" }],
    ["failed", { ...DONE, ok: false, exitCode: null }],
  ])("is told as %j", (text, report) => {
    expect(endOf(report)).toBe(text);
  });
});

describe("the environment of guarded commands", () => {
  it("names all guards around, so that the next one inside knows them", () => {
    const outer = guardEnvironment({
      around: [],
      checkpointId: "a",
      attempt: 2,
      failure: "/report",
    });
    expect(outer).toEqual({
      WAYMARK_GUARD: "a",
      WAYMARK_GUARD_ATTEMPT: "2",
      WAYMARK_GUARD_FAILURE: "/report",
    });
    expect(guardsAround(outer)).toEqual(["a"]);
    const inner = guardEnvironment({
      around: guardsAround(outer),
      checkpointId: "b",
      attempt: 1,
      failure: undefined,
    });
    expect(guardsAround(inner)).toEqual(["a", "b"]);
    expect(inner["WAYMARK_GUARD_FAILURE"]).toBe("");
    expect(guardsAround({})).toEqual([]);
  });
});
