// Which results are drawn: create and rollback at one large size, and how create grows.
import { CREATE } from "./contenders/all.mjs";
import { FLOOR, STATUS } from "./contenders/floor.mjs";
import { count } from "./markdown-table.mjs";
import { duration } from "./plot.mjs";
import { ratio, summary } from "./statistics.mjs";
import { ROLLBACK } from "./work.mjs";

/** @typedef {import("./plot.mjs").Plot} Plot */
/** @typedef {import("./plot.mjs").Role} Role */
/** @typedef {import("./report.mjs").Results} Results */
/** @typedef {import("./report.mjs").SizeResult} SizeResult */

/** The size of the goals; a larger one is in the growth. */
const DRAWN_FILES = 100_000;

/** What is not a way to take a snapshot, or only a variant. @param {string} name */
const isDrawn = (name) =>
  name === CREATE || name === ROLLBACK || !/waymark|start alone|node -e/.test(name);

/** @param {string} name @returns {Role} */
const roleOf = (name) =>
  name === CREATE || name === ROLLBACK
    ? "own"
    : name === STATUS || name === FLOOR
      ? "floor"
      : "other";

/** @param {string} name */
const shortName = (name) =>
  (name.replaceAll(/[`*]/g, "").split(/[,:(]/)[0] ?? name).replace(" debug ", " ").trim();

/** @param {SizeResult} size @param {string} kind */
const timesOf = (size, kind) => size.groups.find((group) => group.kind === kind)?.times;

/** @param {SizeResult} size @param {string} kind @param {string} what @returns {import("./plot.mjs").BarPanel[]} */
function barPanel(size, kind, what) {
  const times = timesOf(size, kind);
  if (times === undefined) return [];
  const bars = [...times.keys()].filter(isDrawn).map((name) => {
    const value = summary(times, name).medianMs;
    const note = `${duration(value)} · ${ratio(times, name, STATUS).median.toFixed(1)}x`;
    return { label: shortName(name), value, note, role: roleOf(name) };
  });
  bars.sort((left, right) => left.value - right.value);
  return [{ title: `${what}, ${count(size.files)} files`, bars }];
}

/** Undefined where nothing that is drawn was measured. @param {Results} results @returns {Plot | undefined} */
export function plotOf({ sizes, machine, date }) {
  const size = sizes.filter(({ files }) => files <= DRAWN_FILES).at(-1) ?? sizes.at(-1);
  if (size === undefined || timesOf(size, "create") === undefined) return undefined;
  const names = [...(timesOf(size, "create")?.keys() ?? [])].filter(isDrawn);
  const lines = names.map((name) => ({
    label: shortName(name),
    role: roleOf(name),
    points: sizes.flatMap((each) => {
      const times = timesOf(each, "create");
      return times?.has(name) ? [{ x: each.files, y: summary(times, name).medianMs }] : [];
    }),
  }));
  return {
    title: "How long a checkpoint takes",
    caption: `Medians of ${date}, logarithmic scales, x = times git status. ${machine.split(", ").slice(0, 1).join("")}`,
    bars: [
      ...barPanel(size, "create", "Create, 4 files changed"),
      ...barPanel(size, "rollback", "Rollback of 20 files"),
    ],
    growth:
      sizes.length < 2
        ? undefined
        : { title: "Create: how it grows", xTitle: "files in the repository", lines },
  };
}
