// The tables, for the terminal and for docs/scale.md.
import { fileURLToPath } from "node:url";
import { count, table } from "../bench/markdown-table.mjs";
import { fillFile } from "../proof/fill-page.mjs";

/** @typedef {import("./judge.mjs").Row} Row */

/**
 * @typedef {object} Section
 * @property {string} id
 * @property {string} title
 * @property {readonly string[]} head
 * @property {readonly (readonly string[])[]} rows
 * @property {string} [note]
 */

const PAGE = fileURLToPath(new URL("../../docs/scale.md", import.meta.url));

/** @param {import("./scenarios.mjs").Scenario} scenario @param {number} size @param {readonly Row[]} rows @returns {Section} */
export function growthSection({ id, unit }, size, rows) {
  const tenth = count(Math.round(size / 10));
  return {
    id,
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

/** @param {Section} section @param {string} machine */
export function render({ title, head, rows, note }, machine) {
  const about = `${new Date().toISOString().slice(0, 10)}. ${machine}.`;
  return [`### ${title}`, about, table(head, rows), ...(note === undefined ? [] : [note])].join(
    "\n\n",
  );
}

/** Each has its place on the page, so that one can be measured again by itself. @param {string} id @param {string} text */
export const writeSection = (id, text) => fillFile(PAGE, id, text);
