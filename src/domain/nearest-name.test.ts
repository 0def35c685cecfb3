import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { editsBetween, nearestName, nearestNames } from "./nearest-name.ts";

describe("nearestName", () => {
  const known = ["max_age", "max_size_mb", "manual", "auto"];

  it.each([
    ["maxage", "max_age"],
    ["max_aeg", "max_age"],
    ["MAX_AGE", "max_age"],
    ["manaul", "manual"],
    ["max_size", "max_size_mb"],
  ])("for %s is %s", (name, expected) => {
    expect(nearestName(name, known)).toBe(expected);
  });

  it("is none for another word", () => {
    expect(nearestName("colour", known)).toBeUndefined();
    expect(nearestName("x", known)).toBeUndefined();
    expect(nearestName("anything", [])).toBeUndefined();
  });
});

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

describe("editsBetween", () => {
  it("is a distance", () => {
    const word = fc.string({ maxLength: 12 });
    fc.assert(
      fc.property(word, word, (left, right) => {
        const edits = editsBetween(left, right);
        expect(edits).toBe(editsBetween(right, left));
        expect(edits === 0).toBe(left === right);
        expect(edits).toBeGreaterThanOrEqual(Math.abs(left.length - right.length));
        expect(edits).toBeLessThanOrEqual(Math.max(left.length, right.length));
      }),
    );
  });

  it("counts a swap of neighbours as one", () => {
    expect(editsBetween("retain", "retian")).toBe(1);
  });
});
