import { expect, test } from "vitest";
import { CREATE } from "../../scripts/bench/contenders/all.mjs";
import { FLOOR, NODE, STATUS } from "../../scripts/bench/contenders/floor.mjs";
import { judgeGoals } from "../../scripts/bench/goals.mjs";
import { LIST } from "../../scripts/bench/many-checkpoints.mjs";
import { bytes, table } from "../../scripts/bench/markdown-table.mjs";
import { readOptions } from "../../scripts/bench/options.mjs";
import { plotOf } from "../../scripts/bench/plot-results.mjs";
import { render, type Results } from "../../scripts/bench/report.mjs";

const flat = (ms: number) => [{ ms, cpuMs: ms }];

function size(files: number, statusMs: number, createMs: number): Results["sizes"][number] {
  const times = new Map([
    [STATUS, flat(statusMs)],
    [FLOOR, flat(statusMs + 40)],
    [CREATE, flat(createMs)],
    ["`slow peer`, with words", flat(createMs * 10)],
  ]);
  return {
    files,
    rounds: 1,
    groups: [{ kind: "create", title: "Create: some", times }],
    first: new Map([[CREATE, { ms: createMs * 3, bytes: 5000 }]]),
    disk: { count: 20, each: new Map([[CREATE, 12_288]]) },
    memory: new Map([[CREATE, { createBytes: 80 * 2 ** 20, restoreBytes: undefined }]]),
  };
}

const results: Results = {
  machine: "2 cores, 24 GiB",
  commit: "abc",
  date: "2026-01-02",
  sizes: [size(200, 5, 70), size(100_000, 300, 390)],
  many: {
    count: 1000,
    lists: new Map([
      [STATUS, flat(5)],
      [NODE, flat(30)],
      [LIST, flat(42)],
    ]),
    users: undefined,
    objects: { without: "", many: "" },
  },
  behaviour: new Map([
    [CREATE, { leavesWorkTree: true, leavesIndex: true, holdsUntracked: false }],
  ]),
  notes: ["jj was not measured: it is not installed."],
};

test("goals are reached or not by the median, and only those that were measured are judged", () => {
  expect(judgeGoals(results).map(({ id, median, reached }) => [id, median, reached])).toEqual([
    ["create 200", 70 / 45, true],
    ["create 100000", 1.3, false],
    ["list 1000", 1.4, true],
  ]);
});

test("goals for what Waymark does not do are named and not judged", () => {
  const text = render(results).replaceAll(/ +/g, " ");
  expect(text).toContain(
    "100,000 files, a hit of git's untracked cache, to `git status` | 0.85x | | | | not measured |",
  );
  expect(text).toContain("Not measured: Waymark does not use git's untracked cache.");
  expect(text).not.toContain("25,000 files, a hit");
});

test("the report has each size in a column, its growth, and what was left out", () => {
  const text = render(results);
  const line = (start: string) => text.split("\n").filter((each) => each.startsWith(start));
  expect(line(`| ${CREATE} `).at(0)?.replaceAll(/ +/g, " ")).toBe(
    `| ${CREATE} | 70 | 14.00x | 14.00x | 390 | 1.30x | 1.30x |`,
  );
  expect(line(`| Create: ${CREATE} `).at(0)?.replaceAll(/ +/g, " ")).toBe(
    `| Create: ${CREATE} | 70 | 390 | 5.57x |`,
  );
  expect(text).toContain("- jj was not measured: it is not installed.");
  expect(text).not.toMatch(/NaN|undefined/);
});

test("the plot shows the size of the goals and all that take snapshots", () => {
  const plot = plotOf(results);
  expect(plot?.bars.map(({ title, bars }) => [title, bars.map(({ label }) => label)])).toEqual([
    [
      "Create, 4 files changed, 100,000 files",
      ["git status", "node + one git status", "waymark create", "slow peer"],
    ],
  ]);
  expect(plot?.growth?.lines.find(({ role }) => role === "own")?.points).toEqual([
    { x: 200, y: 70 },
    { x: 100_000, y: 390 },
  ]);
});

test("a table has columns of one width, and sizes are said in KiB or MiB", () => {
  expect(table(["", "n"], [["a name", "1"]])).toBe(
    "|        |   n |\n| ------ | --: |\n| a name |   1 |",
  );
  expect([12_288, 5 * 2 ** 20, 474 * 2 ** 20, NaN].map(bytes)).toEqual([
    "12 KiB",
    "5.0 MiB",
    "474 MiB",
    "",
  ]);
});

test("words that mean nothing are refused with what there is", () => {
  expect(() => readOptions(["--only", "crate"])).toThrow('--only: there is no "crate"; there are');
  expect(() => readOptions(["--files", "5"])).toThrow("not a whole number of at least 100");
  expect(readOptions(["--help"])).toBeUndefined();
  expect(readOptions(["--full", "--peers", "none"])).toMatchObject({
    sizes: [200, 25_000, 100_000, 300_000],
    peers: [],
    command: "npm run bench -- --full --peers none",
  });
});
