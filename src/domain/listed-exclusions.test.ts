import { describe, expect, it } from "vitest";
import type { Exclusion } from "./checkpoint.ts";
import { listedExclusions } from "./listed-exclusions.ts";

const left = (path: string, reason: Exclusion["reason"]): Exclusion => ({
  path,
  reason,
  size: null,
});

describe("what a document lists of the files that are left out", () => {
  it("is everything as long as that is not much", () => {
    const few = [left("a", "ignored"), left("b", "sensitive")];
    expect(listedExclusions(few)).toBe(few);
  });

  it("is secrets first, then other surprises, in their order", () => {
    const ignored = Array.from({ length: 150 }, (_, at) => left(`i${at}`, "ignored"));
    const listed = listedExclusions([...ignored, left("x", "over_budget"), left("y", "sensitive")]);
    expect(listed).toHaveLength(100);
    expect(listed.slice(-3).map(({ path }) => path)).toEqual(["i97", "x", "y"]);
    const secrets = Array.from({ length: 120 }, (_, at) => left(`s${at}`, "sensitive_content"));
    expect(new Set(listedExclusions([...ignored, ...secrets]).map(({ reason }) => reason))).toEqual(
      new Set(["sensitive_content"]),
    );
  });
});
