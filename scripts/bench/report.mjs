// The results as Markdown, and their place in docs/benchmarks.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  CREATE,
  FLOOR,
  HOOK_READS,
  NODE,
  ROLLBACK,
  ROLLBACK_INDEX,
  STATUS,
} from "./contenders.mjs";
import { LIST, USER_CASES, withoutAny } from "./many-checkpoints.mjs";
import { median, ratio, timesOf } from "./measure.mjs";

/** @typedef {import("./measure.mjs").Times} Times */
/** @typedef {{ files: number, times: Times, first: Map<string, number> }} SizeResult */
/** @typedef {{ count: number, lists: Times, users: Times, objects: { without: string, many: string } }} ManyResult */
/** @typedef {{ machine: string, rounds: number, date: string, sizes: SizeResult[], many: ManyResult }} Results */

const PAGE = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";

/** From facts that were measured with prototypes; docs/benchmarks.md explains them. */
const GOALS = [
  { files: 100_000, name: CREATE, reference: STATUS, most: 1.25 },
  { files: 200, name: CREATE, reference: FLOOR, most: 1.6 },
  { files: 200, name: HOOK_READS, reference: NODE, most: 1.5 },
  { files: 100_000, name: ROLLBACK, reference: STATUS, most: 1.15 },
  { files: 100_000, name: ROLLBACK_INDEX, reference: STATUS, most: 1.35 },
];
const LIST_GOAL = { name: LIST, reference: NODE, most: 1.5 };

const times = (/** @type {number} */ value) => `${value.toFixed(2)}x`;
const milliseconds = (/** @type {number} */ value) => value.toFixed(value < 10 ? 1 : 0);
const count = (/** @type {number} */ value) => value.toLocaleString("en-US");

/** Columns of one width: the same text is read in the terminal. @param {string[]} head @param {string[][]} rows */
function table(head, rows) {
  const widths = head.map((_, column) =>
    Math.max(...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (/** @type {string[]} */ cells) =>
    `| ${cells.map((cell, at) => (at === 0 ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0))).join(" | ")} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** @param {Times} results @param {Map<string, number>} [first] */
function ratioTable(results, first = new Map()) {
  const rows = [...results.keys()].map((name) => {
    const own = timesOf(results, name);
    const toStatus = ratio(results, name, STATUS);
    return [
      name,
      times(toStatus.median),
      times(toStatus.min),
      milliseconds(median(own)),
      milliseconds(Math.min(...own)),
    ];
  });
  const status = median(timesOf(results, STATUS));
  for (const [name, ms] of first)
    rows.push([`${name} (once)`, times(ms / status), "", milliseconds(ms), ""]);
  return table(["", "to git status", "min", "median ms", "min ms"], rows);
}

/** @param {Times} results */
function userTable(results) {
  const rows = USER_CASES.map((name) => {
    const both = ratio(results, name, withoutAny(name));
    return [
      name,
      milliseconds(median(timesOf(results, withoutAny(name)))),
      milliseconds(median(timesOf(results, name))),
      times(both.median),
      times(both.min),
    ];
  });
  return table(["", "without, ms", "with, ms", "with / without", "min"], rows);
}

/** @param {Results} results */
function goalTable({ sizes, many }) {
  const wanted = [
    ...GOALS.flatMap((goal) => {
      const size = sizes.find(({ files }) => files === goal.files);
      return size === undefined
        ? []
        : [{ ...goal, where: `${count(goal.files)} files`, in: size.times }];
    }),
    { ...LIST_GOAL, where: `${count(many.count)} checkpoints`, in: many.lists },
  ];
  const rows = wanted.map((goal) => {
    const found = ratio(goal.in, goal.name, goal.reference);
    return [
      `${goal.name}, ${goal.where}, to ${goal.reference}`,
      times(goal.most),
      times(found.median),
      times(found.min),
      found.median <= goal.most ? "yes" : "no",
    ];
  });
  return table(["", "goal", "median", "min", "reached"], rows);
}

/** @param {Results} results */
export function render(results) {
  const { machine, rounds, date, sizes, many } = results;
  return [
    `${date}, ${rounds} rounds. ${machine}.`,
    ...sizes.flatMap(({ files, times: ofSize, first }) => [
      `### ${count(files)} files`,
      ratioTable(ofSize, first),
    ]),
    `### Listing ${count(many.count)} checkpoints`,
    ratioTable(many.lists),
    `### Your own git with ${count(many.count)} checkpoints`,
    userTable(many.users),
    `Without checkpoints: ${many.objects.without}. With: ${many.objects.many}.`,
    "### Goals",
    goalTable(results),
  ].join("\n\n");
}

/** @param {string} text */
export function writePage(text) {
  const page = readFileSync(PAGE, "utf8");
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`docs/benchmarks.md has no ${BEGIN} … ${END}`);
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`);
}
