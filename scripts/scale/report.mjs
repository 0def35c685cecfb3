// The tables, for the terminal and for docs/scale.md.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** @typedef {import("./judge.mjs").Row} Row */

/**
 * @typedef {object} Section
 * @property {string} title
 * @property {readonly string[]} head
 * @property {readonly (readonly string[])[]} rows
 * @property {string} [note]
 */

const PAGE = fileURLToPath(new URL("../../docs/scale.md", import.meta.url));
const BEGIN = "<!-- figures begin -->";
const END = "<!-- figures end -->";

/** @param {number} number */
export const count = (number) => number.toLocaleString("en-US");

/** @param {string} unit @param {number} size @param {readonly Row[]} rows @returns {Section} */
export function growthSection(unit, size, rows) {
  const tenth = count(Math.round(size / 10));
  return {
    title: `${count(size)} ${unit}`,
    head: [
      "",
      `CPU at ${tenth}, s`,
      `CPU at ${count(size)}, s`,
      "growth",
      `wall at ${count(size)}, s`,
      `node at ${tenth}, MB`,
      `node at ${count(size)}, MB`,
      "with git, MB",
    ],
    rows: rows.map(({ name, small, large, growth, wrong }) => [
      wrong.length === 0 ? name : `${name} (**wrong**)`,
      seconds(small.cpuMs),
      seconds(large.cpuMs),
      growth.toFixed(1),
      seconds(large.ms),
      String(Math.round(small.ownMb)),
      String(Math.round(large.ownMb)),
      String(Math.round(large.treeMb)),
    ]),
  };
}

/** @param {number} ms */
const seconds = (ms) => (ms / 1000).toFixed(2);

/** @param {string} heading @param {readonly Section[]} sections */
export function render(heading, sections) {
  return [
    heading,
    ...sections.map(({ title, head, rows, note }) =>
      [`### ${title}`, table(head, rows), ...(note === undefined ? [] : [note])].join("\n\n"),
    ),
  ].join("\n\n");
}

/** @param {readonly string[]} head @param {readonly (readonly string[])[]} rows */
function table(head, rows) {
  const line = (/** @type {readonly string[]} */ cells) => `| ${cells.join(" | ")} |`;
  return [
    line(head),
    line(head.map((_, at) => (at === 0 ? "---" : "---:"))),
    ...rows.map(line),
  ].join("\n");
}

/** @param {string} text */
export function writePage(text) {
  const page = readFileSync(PAGE, "utf8");
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`docs/scale.md has no ${BEGIN} … ${END}`);
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`);
}
