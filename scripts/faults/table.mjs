// Prints rows as a table of fixed-width columns.
import { COLUMNS } from "./matrix.mjs";

/** @typedef {import("./matrix.mjs").Row} Row */

/** @type {readonly (readonly [string, number, (row: Row) => string | number])[]} */
const LAYOUT = [
  ["scenario", -9, (row) => row.scenario],
  ["command", -9, (row) => row.command],
  ["fault", -16, (row) => row.fault],
  ["points", 7, (row) => row.points],
  ["tried", 6, (row) => row.cases],
  ["fired", 6, (row) => row.fired],
  ["could not", 10, (row) => row.couldNot],
  ["before", 7, (row) => row.before],
  ["after", 6, (row) => row.after],
  ...COLUMNS.map(
    (column) => /** @type {const} */ ([column, 7, (/** @type {Row} */ row) => row.counts[column]]),
  ),
];

/** @param {string | number} text @param {number} width */
const pad = (text, width) =>
  width < 0 ? String(text).padEnd(-width) : String(text).padStart(width);

export const tableHead = () => LAYOUT.map(([name, width]) => pad(name, width)).join(" ");

/** @param {Row} row */
export const tableRow = (row) => LAYOUT.map(([, width, value]) => pad(value(row), width)).join(" ");

/** A clean run that is wrong has one finding per path; the JSON has them all. */
const FINDINGS_SHOWN = 8;

/**
 * The first failures of a row, and how to see one of them again.
 * @param {Row} row @param {number} most
 * @returns {string[]}
 */
export function failureLines(row, most) {
  const lines = row.failures
    .slice(0, most)
    .map(({ at, call, exit, findings }) =>
      [
        `  at ${at} (${call}) exit ${exit}`,
        ...findings
          .slice(0, FINDINGS_SHOWN)
          .map(({ column, detail }) => `      ${column}: ${detail}`),
      ].join("\n"),
    );
  const [first] = row.failures;
  if (row.failures.length > most) lines.push(`  … and ${row.failures.length - most} more`);
  if (first)
    lines.push(
      `  again: node scripts/faults/run.mjs${row.command === "stash" ? " --baseline" : ""} --scenario ${row.scenario} --only ${row.command} --fault ${row.fault} --at ${first.at || 1}`,
    );
  return lines;
}
