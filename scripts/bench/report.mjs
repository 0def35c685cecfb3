// The results as Markdown: one table for each kind of work, with a column for each size, and how each grows.
import { STATUS } from "./contenders/floor.mjs";
import { goalsNotMeasured, judgeGoals } from "./goals.mjs";
import { USER_CASES, withoutAny } from "./many-checkpoints.mjs";
import { bytes, count, milliseconds, table, times } from "./markdown-table.mjs";
import { growth, ratio, summary } from "./statistics.mjs";

/** @typedef {import("./statistics.mjs").Times} Times */
/** @typedef {import("./footprint.mjs").First} First */
/** @typedef {import("./footprint.mjs").Memory} Memory */
/** @typedef {{ kind: string, title: string, times: Times }} Group */

/**
 * @typedef {object} SizeResult
 * @property {number} files
 * @property {number} rounds
 * @property {Group[]} groups
 * @property {Map<string, First>} first
 * @property {{ count: number, each: Map<string, number> } | undefined} disk
 * @property {Map<string, Memory>} memory
 */

/**
 * @typedef {object} ManyResult
 * @property {number} count
 * @property {Times | undefined} lists
 * @property {Times | undefined} users
 * @property {{ without: string, many: string }} objects
 */

/**
 * @typedef {object} Results
 * @property {string} machine
 * @property {string} commit
 * @property {string} date
 * @property {SizeResult[]} sizes
 * @property {ManyResult | undefined} many
 * @property {Map<string, import("./behaviour.mjs").Behaviour>} behaviour
 * @property {string[]} notes
 */

/** @param {readonly (Map<string, unknown> | undefined)[]} maps @returns {string[]} all names, in the order of the first that has them */
const namesIn = (maps) => [...new Set(maps.flatMap((map) => [...(map?.keys() ?? [])]))];

/** @param {readonly SizeResult[]} sizes @param {string} title */
function kindTable(sizes, title) {
  const groups = sizes.map((size) => size.groups.find((group) => group.title === title)?.times);
  const head = sizes.flatMap(({ files }) => [`${count(files)}: ms`, "x status", "x CPU"]);
  const rows = namesIn(groups).map((name) => [
    name,
    ...groups.flatMap((group) => {
      if (!group?.has(name)) return ["", "", ""];
      const toStatus = ratio(group, name, STATUS);
      const { medianMs } = summary(group, name);
      return [milliseconds(medianMs), times(toStatus.median), times(toStatus.cpu)];
    }),
  ]);
  return table(["", ...head], rows);
}

/** @param {readonly SizeResult[]} sizes */
function growthTable(sizes) {
  const titles = [...new Set(sizes.flatMap(({ groups }) => groups.map(({ title }) => title)))];
  const rows = titles.flatMap((title) => {
    const groups = sizes.map((size) => size.groups.find((group) => group.title === title)?.times);
    return namesIn(groups).map((name) => {
      const ms = groups.map((group) => (group?.has(name) ? summary(group, name).medianMs : NaN));
      const factors = growth(ms);
      const cells = ms.flatMap((value, at) =>
        at === 0 ? [milliseconds(value)] : [milliseconds(value), times(factors[at - 1] ?? NaN)],
      );
      return [`${shortTitle(title)}: ${name}`, ...cells];
    });
  });
  const head = sizes.flatMap(({ files }, at) =>
    at === 0 ? [`${count(files)}: ms`] : [`${count(files)}: ms`, "growth"],
  );
  return table(["", ...head], rows);
}

/** @param {string} title */
const shortTitle = (title) => title.split(/[:;]/)[0] ?? title;

/** @param {readonly SizeResult[]} sizes */
function firstTable(sizes) {
  const rows = namesIn(sizes.map(({ first }) => first)).map((name) => [
    name,
    ...sizes.flatMap(({ first }) => {
      const found = first.get(name);
      return [milliseconds(found?.ms ?? NaN), bytes(found?.bytes ?? NaN)];
    }),
  ]);
  return table(["", ...sizes.flatMap(({ files }) => [`${count(files)}: ms`, "on disk"])], rows);
}

/** @param {readonly SizeResult[]} sizes */
function diskTable(sizes) {
  const rows = namesIn(sizes.map(({ disk }) => disk?.each)).map((name) => [
    name,
    ...sizes.map(({ disk }) => bytes(disk?.each.get(name) ?? NaN)),
  ]);
  const head = sizes.map(
    ({ files, disk }) => `${count(files)} (mean of at least ${disk?.count ?? 0})`,
  );
  return table(["", ...head], rows);
}

/** @param {readonly SizeResult[]} sizes */
function memoryTable(sizes) {
  const rows = namesIn(sizes.map(({ memory }) => memory)).map((name) => [
    name,
    ...sizes.flatMap(({ memory }) => {
      const found = memory.get(name);
      return [bytes(found?.createBytes ?? NaN), bytes(found?.restoreBytes ?? NaN)];
    }),
  ]);
  return table(["", ...sizes.flatMap(({ files }) => [`${count(files)}: create`, "restore"])], rows);
}

/** @type {[keyof import("./behaviour.mjs").Behaviour, string][]} */
const BEHAVIOUR = [
  ["leavesWorkTree", "create leaves files alone"],
  ["leavesIndex", "… and the index"],
  ["holdsUntracked", "holds untracked files"],
  ["restoresFiles", "restores all files"],
  ["restoresIndex", "… and what is staged"],
  ["keepsIgnored", "keeps what is ignored since"],
  ["undoes", "a restore can be undone"],
];

/** @param {Results["behaviour"]} behaviour */
function behaviourTable(behaviour) {
  const rows = [...behaviour].map(([name, seen]) => [
    name,
    ...BEHAVIOUR.map(([key]) => (seen[key] === undefined ? "" : seen[key] ? "yes" : "no")),
  ]);
  return table(["", ...BEHAVIOUR.map(([, title]) => title)], rows);
}

/** @param {Times} results */
function ratioTable(results) {
  const rows = [...results.keys()].map((name) => {
    const own = summary(results, name);
    const to = ratio(results, name, STATUS);
    const cells = [times(to.median), times(to.min), times(to.cpu)];
    return [name, ...cells, milliseconds(own.medianMs), milliseconds(own.cpuMs)];
  });
  return table(["", "x status", "min", "x CPU", "ms", "CPU ms"], rows);
}

/** @param {Times} results */
function userTable(results) {
  const rows = USER_CASES.map((name) => {
    const both = ratio(results, name, withoutAny(name));
    return [
      name,
      milliseconds(summary(results, withoutAny(name)).medianMs),
      milliseconds(summary(results, name).medianMs),
      times(both.median),
      times(both.min),
    ];
  });
  return table(["", "without, ms", "with, ms", "with / without", "min"], rows);
}

const NOT_MEASURED = "not measured";

/** @param {Results} results */
function goalTable(results) {
  const rows = judgeGoals(results).map(({ what, most, median, min, cpu, reached }) => [
    what,
    times(most),
    times(median),
    times(min),
    times(cpu),
    reached ? "yes" : "no",
  ]);
  const others = goalsNotMeasured(results);
  const notMeasured = others.map(({ what, most }) => [what, times(most), "", "", "", NOT_MEASURED]);
  const whole = table(["", "goal", "median", "min", "CPU", "reached"], [...rows, ...notMeasured]);
  return [whole, ...new Set(others.map(({ why }) => `Not measured: ${why}`))].join("\n\n");
}

/** @param {ManyResult | undefined} many @returns {string[]} */
function manySections(many) {
  if (many === undefined) return [];
  return [
    ...(many.lists === undefined
      ? []
      : [`### Listing ${count(many.count)} checkpoints`, ratioTable(many.lists)]),
    ...(many.users === undefined
      ? []
      : [
          `### Your own git with ${count(many.count)} checkpoints`,
          userTable(many.users),
          `Without checkpoints: ${many.objects.without}. With: ${many.objects.many}.`,
        ]),
  ];
}

/** @param {Results} results */
export function render(results) {
  const { machine, commit, date, sizes, many, behaviour, notes } = results;
  const titles = [...new Set(sizes.flatMap(({ groups }) => groups.map(({ title }) => title)))];
  const rounds = sizes.map((size) => `${size.rounds} (${count(size.files)} files)`).join(", ");
  /** @param {string} title @param {(sizes: readonly SizeResult[]) => string} make @param {boolean} wanted */
  const section = (title, make, wanted) => (wanted ? [`### ${title}`, make(sizes)] : []);
  return [
    `${date}, commit ${commit}${rounds === "" ? "" : `; rounds: ${rounds}`}. ${machine}.`,
    ...(notes.length === 0 ? [] : [notes.map((note) => `- ${note}`).join("\n")]),
    ...(judgeGoals(results).length === 0 ? [] : ["### Goals", goalTable(results)]),
    ...titles.flatMap((title) => [`### ${title}`, kindTable(sizes, title)]),
    ...section("How each grows", growthTable, titles.length > 0 && sizes.length > 1),
    ...section(
      "The first checkpoint in a repository, once",
      firstTable,
      sizes.some(({ first }) => first.size > 1),
    ),
    ...section(
      "Disk: what each further checkpoint adds, 4 files changed",
      diskTable,
      sizes.some(({ disk }) => disk !== undefined),
    ),
    ...section(
      "Memory: the most that all processes had at once",
      memoryTable,
      sizes.some(({ memory }) => memory.size > 0),
    ),
    ...manySections(many),
    ...(behaviour.size === 0
      ? []
      : ["### What each of them does to a project", behaviourTable(behaviour)]),
  ].join("\n\n");
}
