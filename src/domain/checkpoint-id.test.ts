import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isCheckpointId, makeCheckpointId, slug } from "./checkpoint-id.ts";

/** Any UTF-16 units, halves of pairs too. */
const anyText = fc
  .array(fc.nat(0xffff), { maxLength: 100 })
  .map((units) => String.fromCharCode(...units));
const at = new Date("2026-11-15T18:45:30.987Z");

describe("makeCheckpointId", () => {
  it("says step, label, date and time in UTC, and the digits", () => {
    expect(makeCheckpointId({ step: 4, label: "implement", at, hash: "a3f2" })).toBe(
      "cp-04-implement-20261115-184530-a3f2",
    );
  });

  it("has 00 where there is no step, and 99 where there are too many", () => {
    expect(makeCheckpointId({ step: null, label: "x", at, hash: "0000" })).toMatch(/^cp-00-x-/);
    expect(makeCheckpointId({ step: 1234, label: "x", at, hash: "0000" })).toMatch(/^cp-99-x-/);
  });

  it("gives for any label a valid id whose ref is shorter than 80 characters", () => {
    fc.assert(
      fc.property(
        fc.oneof(fc.string({ maxLength: 100 }), anyText),
        fc.option(fc.nat()),
        (label, step) => {
          const id = makeCheckpointId({ step, label, at, hash: "ffff" });
          expect(isCheckpointId(id)).toBe(true);
          expect(`refs/waymark/cp/${id}`.length).toBeLessThan(80);
        },
      ),
    );
  });
});

describe("slug", () => {
  it.each([
    ["Implement the API", "implement-the-api"],
    ["--a__b..c--", "a-b-c"],
    ["日本", "x"],
    ["", "x"],
    ["ends.lock", "ends-lock"],
    ["a".repeat(60), "a".repeat(28)],
    [`${"a".repeat(27)} b`, "a".repeat(27)],
  ])("makes %j into %j", (text, expected) => {
    expect(slug(text)).toBe(expected);
  });
});

describe("isCheckpointId", () => {
  it.each(["", "-a", "A", "a/b", "a.b", "a b", "a\n", "../x", "a~1", "a^", `a${"b".repeat(63)}`])(
    "refuses %j, which would mean something else to git",
    (text) => {
      expect(isCheckpointId(text)).toBe(false);
    },
  );
});
