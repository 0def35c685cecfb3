import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { makeCheckpointId } from "./checkpoint-id.ts";
import { idsNamedBy, ShortIds } from "./short-id.ts";

const A3F2 = "cp-00-work-20261118-142026-a3f2";
const A9C1 = "cp-00-work-20261118-142027-a9c1";

describe("a part of an id", () => {
  it.each([
    ["its hash", "a3f2", [A3F2, A9C1], [A3F2]],
    ["a part of less than four characters", "a3f", [A3F2], []],
    ["the whole of a short one", "a3f", ["a3f", A3F2], ["a3f"]],
    [
      "a hash that looks like a year",
      "2026",
      [A3F2, "cp-00-x-20261118-0-2026"],
      ["cp-00-x-20261118-0-2026"],
    ],
    [
      "a hash that is a part of other names",
      "a3f2",
      ["cp-00-a3f2-20261118-142026-0001", A3F2],
      [A3F2],
    ],
    ["the end of its name", "26-a3f2", [A3F2, A9C1], [A3F2]],
    ["something in the middle", "142027-", [A3F2, A9C1], [A9C1]],
    ["not the time, which looks like the hash of another", "142027", [A3F2, A9C1], []],
    ["not a name with the hash of a deleted one", "a3f2", ["cp-00-after-a3f2-20261118-1-0001"], []],
    ["the whole of one that others contain", "cp-a", ["cp-a", "cp-a-b"], ["cp-a"]],
    ["nothing", "zzzz", [A3F2], []],
    ["an empty text", "", [A3F2], []],
  ])("can be %s", (_what, text, ids, named) => {
    expect(idsNamedBy(text, ids)).toEqual(named);
  });
});

describe("the short form of an id", () => {
  it("is its hash", () => {
    const ids = new ShortIds([A3F2, A9C1]);
    expect(ids.of(A3F2)).toEqual("a3f2");
  });

  it("grows to the left where two checkpoints have the same hash", () => {
    const other = "cp-01-plan-20261118-142031-a3f2";
    const ids = new ShortIds([A3F2, other]);
    expect(ids.of(A3F2)).toEqual("6-a3f2");
    expect(ids.of(other)).toEqual("1-a3f2");
  });

  it("never begins with what is a step", () => {
    const id = "cp-00-x-20261118-142026-1234";
    expect(new ShortIds([id]).of(id)).toEqual("1234");
  });

  it("is the whole id of one that is not known", () => {
    expect(new ShortIds([A3F2]).of(A9C1)).toBe(A9C1);
  });

  it("stands for the id in a text, but not in a path or a ref", () => {
    const ids = new ShortIds([A3F2]);
    expect(ids.inText(`created ${A3F2}. Undo: \`waymark rollback ${A3F2}\`, not ${A9C1}`)).toBe(
      `created a3f2. Undo: \`waymark rollback a3f2\`, not ${A9C1}`,
    );
    expect(ids.inText(`\u001B[1m${A3F2}\u001B[22m`)).toBe("\u001B[1ma3f2\u001B[22m");
    for (const text of [
      `refs/waymark/cp/${A3F2}:worktree`,
      `${A3F2}/x`,
      `${A3F2}.tar`,
      `x-${A3F2}`,
    ]) {
      expect(ids.inText(text)).toBe(text);
    }
  });

  it("[R196] always names exactly that checkpoint", () => {
    const madeId = fc
      .record({
        step: fc.option(fc.nat(12)),
        label: fc.constantFrom("a3f2", "plan", "latest", "start", "2026", "12", "x-1234"),
        at: fc.date({
          min: new Date("2026-11-15T18:00:00Z"),
          max: new Date("2026-11-15T18:00:20Z"),
          noInvalidDate: true,
        }),
        hash: fc.constantFrom("a3f2", "a3f3", "a4f2", "1234", "2026", "0018", "1800", "beef"),
      })
      .map(makeCheckpointId);
    // Those of archives are given by others.
    const anyId = fc.stringMatching(/^[a-c0-1][a-c0-1-]{3,9}$/);
    fc.assert(
      fc.property(fc.uniqueArray(fc.oneof(madeId, anyId), { minLength: 1 }), (ids) => {
        const short = new ShortIds(ids);
        for (const id of ids) {
          const text = short.of(id);
          expect(text.length).toBeGreaterThanOrEqual(4);
          expect(text).not.toMatch(/^-|^\d{1,3}$/);
          expect(idsNamedBy(text, ids)).toEqual([id]);
        }
      }),
    );
  });
});
