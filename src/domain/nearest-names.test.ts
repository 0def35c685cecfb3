import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editDistance, nearestNames } from "./nearest-names.ts";

describe("nearest names", () => {
  it("offers what was probably meant, the closest first", () => {
    const names = ["rollback", "rollback_plan", "recovery", "validation"];
    expect(nearestNames("rolback", names)).toEqual(["rollback"]);
    expect(nearestNames("Rollback_Paln", names)).toEqual(["rollback_plan"]);
    expect(nearestNames("rollback_pl", names)).toEqual(["rollback_plan", "rollback"]);
  });

  it("offers nothing for something else altogether", () => {
    expect(nearestNames("quux", ["rollback", "validation"])).toEqual([]);
  });

  it("offers no more than asked for", () => {
    expect(nearestNames("aaaa", ["aaab", "aaac", "aaad"], 2)).toHaveLength(2);
  });
});

describe("the edit distance", () => {
  it("counts a swap of neighbours as one", () => {
    expect(editDistance("ab", "ba")).toBe(1);
    expect(editDistance("kitten", "sitting")).toBe(3);
  });

  it("is 0 for equal words only, the same both ways, and never more than the longer word", () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (left, right) => {
        const distance = editDistance(left, right);
        expect(distance === 0).toBe(left === right);
        expect(editDistance(right, left)).toBe(distance);
        expect(distance).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });
});
