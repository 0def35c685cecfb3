// Tables as Markdown that is also readable in a terminal, and the numbers in them.

/** Columns of one width: the same text is read in the terminal. @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
export function table(head, rows) {
  const widths = head.map((_, column) =>
    Math.max(3, ...[head, ...rows].map((row) => (row[column] ?? "").length)),
  );
  const line = (/** @type {readonly string[]} */ cells) =>
    `| ${widths.map((width, at) => (at === 0 ? (cells[at] ?? "").padEnd(width) : (cells[at] ?? "").padStart(width))).join(" | ")} |`;
  const rule = widths.map((width, at) =>
    at === 0 ? "-".repeat(width) : `${"-".repeat(width - 1)}:`,
  );
  return [line(head), line(rule), ...rows.map(line)].join("\n");
}

/** A cell without a number is empty. @param {(value: number) => string} show */
const orEmpty = (show) => (/** @type {number} */ value) =>
  Number.isFinite(value) ? show(value) : "";

export const times = orEmpty((value) => `${value.toFixed(value < 100 ? 2 : 0)}x`);
export const milliseconds = orEmpty((value) => value.toFixed(value < 10 ? 1 : 0));
export const count = (/** @type {number} */ value) => value.toLocaleString("en-US");

export const bytes = orEmpty((value) => {
  if (Math.abs(value) < 2 ** 20) return `${(value / 2 ** 10).toFixed(0)} KiB`;
  return `${(value / 2 ** 20).toFixed(value < 10 * 2 ** 20 ? 1 : 0)} MiB`;
});
