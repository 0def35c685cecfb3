// What a run comes to, for docs/reliability.md: one line for each command and fault, over all scenarios.
import { faultNamed } from "./faults.mjs";
import { COLUMNS } from "./matrix.mjs";

/** @typedef {import("./matrix.mjs").Row} Row */

/**
 * @param {readonly Row[]} rows @param {readonly import("./matrix.mjs").RowName[]} matrix all rows that there are
 * @returns {{ figures: import("../proof/figures.mjs").Figure[], note: string }}
 */
export function figuresOf(rows, matrix) {
  /** @type {Map<string, Row[]>} */ const groups = new Map();
  for (const row of rows) {
    const id = `${row.command} ${row.fault}`;
    groups.set(id, [...(groups.get(id) ?? []), row]);
  }
  const points = sum(rows, (row) => row.points);
  const tried = sum(rows, (row) => row.cases);
  return {
    figures: [...groups].map(([id, group]) => figureOf(id, group)),
    note: [
      tried < points ? `a sample: ${tried} of ${points} points` : `every point: ${points}`,
      rowsNote(rows, matrix),
    ].join(" "),
  };
}

/**
 * The points of a row that was never begun are in no count.
 * @param {readonly Row[]} rows @param {readonly import("./matrix.mjs").RowName[]} matrix
 */
function rowsNote(rows, matrix) {
  const nameOf = (/** @type {import("./matrix.mjs").RowName} */ { scenario, command, fault }) =>
    `${scenario} ${command} ${fault}`;
  const done = new Set(rows.map(nameOf));
  const missing = matrix.filter((row) => !done.has(nameOf(row)));
  const all = `of ${missing.length === 0 ? "all" : `${matrix.length - missing.length} of`} ${matrix.length} rows`;
  if (missing.length === 0) return `${all} (project, command, fault)`;
  const scenarios = [...new Set(missing.map(({ scenario }) => scenario))].join(", ");
  return `${all} (project, command, fault); those that are missing are of ${scenarios}`;
}

/** @param {string} id @param {readonly Row[]} group @returns {import("../proof/figures.mjs").Figure} */
function figureOf(id, group) {
  const [first] = group;
  const scenarios = [...new Set(group.map(({ scenario }) => scenario))].join(", ");
  const counts = COLUMNS.map(
    (column) => /** @type {const} */ ([column, sum(group, (row) => row.counts[column])]),
  ).filter(([, count]) => count > 0);
  const before = sum(group, (row) => row.before);
  const after = sum(group, (row) => row.after);
  // Rows of earlier runs do not have it.
  const couldNot = sum(group, (row) => row.couldNot ?? 0);
  const late = sum(group, (row) => row.cases - row.fired) - couldNot;
  return {
    id,
    what: `${first?.fault} ${isAhead(first) ? "before" : "at a point of"} ${first?.command === "stash" ? "git stash push -u" : first?.command} (${scenarios})`,
    tried: sum(group, (row) => row.fired),
    wrong: sum(group, (row) => row.failures.length),
    detail: [
      `${sum(group, (row) => row.points)} points`,
      ...(before + after > 0 ? [`${before} as before, ${after} as after`] : []),
      ...(couldNot > 0 ? [`${couldNot} more could not`] : []),
      ...(late > 0 ? [`${late} more had ended before the fault`] : []),
      ...counts.map(([column, count]) => `${column} ${count}`),
    ].join("; "),
    ...(first?.command === "stash" && { baseline: true }),
  };
}

/** @param {Row | undefined} row */
const isAhead = (row) => row !== undefined && faultNamed(row.fault).ahead !== undefined;

/** @param {readonly Row[]} rows @param {(row: Row) => number} count */
const sum = (rows, count) => rows.reduce((total, row) => total + count(row), 0);
