// The place of the results in docs/: tables and plot.
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const PAGE = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const PLOT = fileURLToPath(new URL("../../docs/benchmarks.svg", import.meta.url));
const BEGIN = "<!-- bench:begin -->";
const END = "<!-- bench:end -->";

/** @param {string} text @param {string | undefined} svg */
export function writePage(text, svg) {
  const page = readFileSync(PAGE, "utf8");
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end < begin) throw new Error(`docs/benchmarks.md has no ${BEGIN} … ${END}`);
  writeFileSync(PAGE, `${page.slice(0, begin + BEGIN.length)}\n\n${text}\n\n${page.slice(end)}`);
  if (svg !== undefined) writeFileSync(PLOT, svg);
}
