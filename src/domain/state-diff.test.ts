import { describe, expect, it } from "vitest";
import { diffValues } from "./state-diff.ts";

describe("values of two moments", () => {
  it("are compared by their dotted names", () => {
    expect(
      diffValues(
        { phase: "plan", metrics: { coverage: 80, lint: { errors: 3 } }, gone: 1 },
        { phase: "plan", metrics: { coverage: 84, lint: { errors: 3 } }, fresh: [1, 2] },
      ),
    ).toEqual([
      { key: "metrics.coverage", from: 80, to: 84 },
      { key: "gone", from: 1, to: undefined },
      { key: "fresh", from: undefined, to: [1, 2] },
    ]);
  });

  it("do not differ from themselves", () => {
    const value = { a: { b: [{ c: null }] }, d: {} };
    expect(diffValues(value, structuredClone(value))).toEqual([]);
  });
});
