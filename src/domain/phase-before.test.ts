import { describe, expect, it } from "vitest";
import { phaseBefore } from "./phase-before.ts";

describe("the phase before", () => {
  it.each([
    ["plan", { phase: "specify", previous_phase: null }, "specify"],
    ["plan", { phase: "plan", previous_phase: "specify" }, "specify"],
    ["plan", { phase: null, previous_phase: "specify" }, "specify"],
    [null, { phase: "plan", previous_phase: "specify" }, "plan"],
    ["specify", { phase: "specify", previous_phase: null }, null],
    ["plan", undefined, null],
  ] as const)("of %s after %j is %s", (phase, previous, before) => {
    expect(phaseBefore(phase, previous)).toBe(before);
  });
});
