// The place of the results in docs/: tables and plot.
import { writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { fillFile } from "../proof/fill-page.mjs";

const PAGE = fileURLToPath(new URL("../../docs/benchmarks.md", import.meta.url));
const PLOT = fileURLToPath(new URL("../../docs/benchmarks.svg", import.meta.url));

/** @param {string} text @param {string | undefined} svg */
export function writePage(text, svg) {
  fillFile(PAGE, "bench", text);
  if (svg !== undefined) writeFileSync(PLOT, svg);
}
