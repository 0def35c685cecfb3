// The tables of docs/reliability.md, from the promises, the rules and the figures of the last runs.
import { fill } from "./fill-page.mjs";
import { PROMISES } from "./promises.mjs";
import { partsOf, secondsOf } from "./runs.mjs";

/** @typedef {import("./figures.mjs").Recorded} Recorded */
/** @typedef {import("./figures.mjs").Figure} Figure */
/** @typedef {{ rule: string, files: readonly string[] }} TestedRule */

/**
 * The page with its tables filled in.
 * @param {string} page @param {readonly Recorded[]} recorded @param {readonly TestedRule[]} rules
 */
export function fillPage(page, recorded, rules) {
  const tables = {
    runs: runsTable(recorded),
    promises: promisesTable(recorded),
    rules: rulesTable(recorded, rules),
    details: recorded
      .filter(({ name }) => name !== "tests")
      .map(detail)
      .join("\n\n"),
  };
  return Object.entries(tables).reduce((text, [name, table]) => fill(text, name, table), page);
}

/** @param {readonly Recorded[]} recorded */
function runsTable(recorded) {
  const rows = recorded.map((run) => {
    const { name, command, figures, note } = run;
    const all = figures.filter(({ id }) => id === "all");
    // The same faults on another tool are a run of their own.
    const isOther = figures.every((figure) => !isOurs(figure));
    const ours = all.length > 0 ? all : figures.filter(isOurs);
    const own = isOther ? figures : ours;
    return [
      isOther ? `${name} (for comparison)` : name,
      `\`${command}\``,
      ...whenAndWhat(run),
      count(sum(own, "tried")),
      count(sum(own, "wrong")),
      note ?? "",
    ];
  });
  return table(["run", "repeat it with", "date", "commit", "took", "tried", "wrong", ""], rows);
}

/** Date, commit and duration. @param {Recorded} run */
function whenAndWhat(run) {
  const parts = partsOf(run);
  if (parts.length < 2) return [run.date, `\`${run.commit}\``, duration(run.seconds)];
  const seconds = secondsOf(parts);
  return [
    [...new Set([parts[0]?.date, parts.at(-1)?.date])].join(" to "),
    "in several runs",
    seconds === undefined ? "" : duration(seconds),
  ];
}

/** @param {readonly Recorded[]} recorded */
function promisesTable(recorded) {
  const rows = PROMISES.map(({ id, text, rules, figures, tests, notCovered }) => [
    id,
    text,
    rules.join(", "),
    [
      ...figures.map(([name, lines]) => tried(recorded, name, lines)),
      ...tests.map((path) => `\`${path}\``),
    ].join("<br>"),
    notCovered,
  ]);
  return table(["", "promise", "rules", "proof and figures of the last run", "not covered"], rows);
}

/** @param {readonly Recorded[]} recorded @param {string} name @param {RegExp} lines */
function tried(recorded, name, lines) {
  const run = recorded.find((one) => one.name === name);
  const found = run?.figures.filter((figure) => lines.test(figure.id)) ?? [];
  if (found.length === 0) return `${name}: not run`;
  const ours = found.filter(isOurs);
  const others = found.filter((figure) => !isOurs(figure));
  const points = pointsOf(ours);
  const of = points === undefined ? "" : ` of ${count(points)} points`;
  const said = `${name}: ${count(sum(ours, "tried"))}${of} tried, ${count(sum(ours, "wrong"))} wrong`;
  return others.length === 0
    ? said
    : `${said} (\`git stash\`: ${count(sum(others, "wrong"))} of ${count(sum(others, "tried"))})`;
}

/**
 * How many there were to try, where every line says so: a sample has to look like one.
 * @param {readonly Figure[]} figures
 */
function pointsOf(figures) {
  const all = figures.map(({ detail: words = "" }) => /^(\d+) points\b/.exec(words)?.[1]);
  if (all.length === 0 || all.includes(undefined)) return undefined;
  return all.reduce((total, points) => total + Number(points), 0);
}

/** @param {readonly Recorded[]} recorded @param {readonly TestedRule[]} rules */
function rulesTable(recorded, rules) {
  const tests = recorded.find(({ name }) => name === "tests")?.figures ?? [];
  const rows = rules.map(({ rule, files }) => {
    const figure = tests.find(({ id }) => id === rule);
    return [
      rule,
      figure === undefined
        ? "not run"
        : `${count(figure.tried - figure.wrong)} of ${count(figure.tried)}`,
      files.map((path) => `\`${path}\``).join(", "),
    ];
  });
  return table(["rule", "tests that passed", "where"], rows);
}

/** @param {Recorded} recorded */
function detail(recorded) {
  const { name, command, figures, note } = recorded;
  const rows = figures.map(({ what, tried: times, wrong, detail: more, baseline }) => [
    baseline === true ? `${what} (for comparison)` : what,
    count(times),
    count(wrong),
    more ?? "",
  ]);
  return [
    `### ${name}`,
    `\`${command}\`, ${origin(recorded)}${note === undefined ? "" : ` ${note}`}`,
    ...severalRuns(recorded),
    table(["", "tried", "wrong", ""], rows),
  ].join("\n\n");
}

/** @param {Recorded} recorded */
function origin(recorded) {
  if (partsOf(recorded).length > 1) return "in several runs.";
  const { date, commit, machine, seconds } = recorded;
  return `${date}, commit \`${commit}\`, ${duration(seconds)}. ${machine}.`;
}

/** What each of them was; nothing where there was one. @param {Recorded} recorded */
function severalRuns(recorded) {
  const parts = partsOf(recorded);
  if (parts.length < 2) return [];
  const lines = parts.map(({ ids, date, commit, machine, seconds }) => {
    const took = seconds === undefined ? "" : `, ${duration(seconds)}`;
    const names = ids.map((id) => `\`${id}\``).join(", ");
    return `- ${names}: ${date}, commit \`${commit}\`${took}. ${machine}.`;
  });
  return [lines.join("\n")];
}

/** @param {Figure} figure */
const isOurs = ({ baseline }) => baseline !== true;

/** @param {readonly Figure[]} figures @param {"tried" | "wrong"} what */
const sum = (figures, what) => figures.reduce((total, figure) => total + figure[what], 0);

/** @param {number} value */
const count = (value) => value.toLocaleString("en-US");

/** @param {number} seconds */
const duration = (seconds) =>
  seconds < 90 ? `${Math.round(seconds)} s` : `${Math.round(seconds / 60)} min`;

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${cells.map((cell) => cell.replaceAll("|", "\\|").replaceAll("\n", " ")).join(" | ")} |`;
  return [line(head), `|${head.map(() => "---").join("|")}|`, ...rows.map(line)].join("\n");
}
