import { expect, test } from "vitest";
import { cpuOfChildren, measure } from "../../scripts/bench/measure.mjs";
import { growth, median, ratio, summary } from "../../scripts/bench/statistics.mjs";

const samples = (...ms: number[]) => ms.map((value) => ({ ms: value, cpuMs: value / 2 }));
const watch = { onRound: () => {}, onDropped: () => {} };

test("a median is the middle one, or lies between the two in the middle", () => {
  expect([median([3, 1, 2]), median([4, 1, 3, 2]), median([])]).toEqual([2, 2.5, NaN]);
});

test("a ratio is the median of the rounds' ratios: a round that was slow for both does not count", () => {
  const times = new Map([
    ["own", samples(20, 400, 22)],
    ["other", samples(10, 200, 10)],
  ]);
  expect(ratio(times, "own", "other")).toEqual({ median: 2, min: 2, cpu: 221 / 110 });
  expect(summary(times, "own")).toEqual({ medianMs: 22, minMs: 20, cpuMs: 442 / 6 });
});

test("a ratio to what was not measured is an error, not a number", () => {
  expect(() => ratio(new Map([["own", samples(1)]]), "own", "other")).toThrow(
    '"other" was not measured',
  );
});

test("growth is the factor from one size to the next", () => {
  expect(growth([2, 10, 40])).toEqual([5, 4]);
});

test("contenders take turns, the order is reversed every second round, and the first round is not counted", () => {
  const order: string[] = [];
  const contender = (name: string) => ({
    name,
    prepare: () => order.push(`(${name})`),
    run: () => {
      order.push(name);
      return name;
    },
    check: (output: string) => output === name,
  });
  const times = measure([contender("a"), contender("b")], 2, watch);
  expect(order.join(" ")).toBe("(a) a (b) b (b) b (a) a (a) a (b) b");
  expect([...times].map(([name, of]) => [name, of.length])).toEqual([
    ["a", 2],
    ["b", 2],
  ]);
});

test("whoever did not do the work is found out: Waymark ends the run, a peer is left out with the reason", () => {
  const lazy = { name: "lazy", run: () => "nothing", check: () => false };
  const honest = { name: "honest", run: () => "" };
  expect(() => measure([lazy], 1, watch)).toThrow('"lazy" did not do its work: nothing');
  const dropped: string[] = [];
  const times = measure([{ ...lazy, peer: true }, honest], 1, {
    ...watch,
    onDropped: (name, why) => dropped.push(`${name}: ${why}`),
  });
  expect([...times.keys()]).toEqual(["honest"]);
  expect(dropped).toEqual(['lazy: "lazy" did not do its work: nothing']);
});

test("what times itself is believed, and CPU time of children only grows", () => {
  const inner = { ms: 7, cpuMs: 3 };
  const times = measure([{ name: "inner", run: () => "", timed: () => inner }], 1, watch);
  expect(times.get("inner")).toEqual([inner]);
  if (process.platform === "linux") expect(cpuOfChildren()).toBeGreaterThanOrEqual(0);
});
