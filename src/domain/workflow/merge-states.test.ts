import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeStates } from "./merge-states.ts";

const states = fc.dictionary(
  fc.constantFrom("a", "b", "c", "__proto__"),
  fc.jsonValue({ maxDepth: 1 }),
);

describe("states of nodes that ran side by side", () => {
  it("are merged by key: changed, added, taken out", () => {
    const base = { kept: 1, changed: 1, gone: 1 };
    const results = [
      { node: "api", state: { kept: 1, changed: 2, gone: 1 } },
      { node: "ui", state: { kept: 1, changed: 1, added: 3 } },
    ];
    expect(mergeStates(base, results)).toEqual({
      state: { kept: 1, changed: 2, added: 3 },
      conflicts: [],
    });
  });

  it("conflict where two made different things of one key; the last wins and both are told", () => {
    const results = [
      { node: "api", state: { plan: "A" } },
      { node: "ui", state: {} },
      { node: "db", state: { plan: "C" } },
    ];
    expect(mergeStates({ plan: "" }, results)).toEqual({
      state: { plan: "C" },
      conflicts: [
        {
          key: "plan",
          values: [{ node: "api", value: "A" }, { node: "ui" }, { node: "db", value: "C" }],
        },
      ],
    });
  });

  it("that are no objects are one thing", () => {
    expect(mergeStates([1], [{ node: "api", state: [1, 2] }])).toEqual({
      state: [1, 2],
      conflicts: [],
    });
    const both = [
      { node: "api", state: [1, 2] },
      { node: "ui", state: { a: 1 } },
    ];
    expect(mergeStates([1], both)).toMatchObject({ state: { a: 1 }, conflicts: [{ key: null }] });
  });

  it("one node's state comes out as it left it, and no conflict is without two that differ", () => {
    fc.assert(
      fc.property(states, states, fc.array(states, { maxLength: 3 }), (base, one, others) => {
        expect(mergeStates(base, [{ node: "one", state: one }]).state).toEqual(one);
        const all = [one, ...others].map((state, at) => ({ node: `n${at}`, state }));
        const { state, conflicts } = mergeStates(base, all);
        for (const { values } of conflicts) {
          expect(new Set(values.map((value) => JSON.stringify(value.value))).size).toBeGreaterThan(
            1,
          );
        }
        const untouched = mergeStates(base, [...all, { node: "last", state: base }]);
        expect(untouched).toEqual({ state, conflicts });
      }),
    );
  });
});
