#!/usr/bin/env node
/** `npm run test:hostile -- --runs 2000 [--seed N] [--only ID] [--write]`: hostile input of every kind, as often as one likes. */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { commandLine, verdict, writeFigures } from "../../scripts/proof/figures.mjs";
import { requireNumber, showUsage } from "../../scripts/proof/usage.mjs";
import { runVitest } from "../../scripts/run-vitest.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "400" },
    seed: { type: "string" },
    only: { type: "string" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) showUsage(import.meta.url);
for (const name of /** @type {const} */ (["runs", "seed"]))
  requireNumber("hostile", name, values[name]);

if (values.write && values.only !== undefined) {
  console.error("hostile: --write is for a run of all attacks, without --only");
  process.exit(2);
}
const seed = values.seed ?? String(Date.now() % 0x7fff_ffff);
const folder = mkdtempSync(join(tmpdir(), "waymark-hostile-report-"));
const report = join(folder, "report");
const env = {
  WAYMARK_HOSTILE_RUNS: values.runs,
  WAYMARK_HOSTILE_SEED: seed,
  WAYMARK_HOSTILE_REPORT: report,
  ...(values.only === undefined ? {} : { WAYMARK_HOSTILE_ONLY: values.only }),
};
const began = performance.now();
const code = runVitest(["test/hostile/fuzz"], env);
const text = existsSync(report) ? readFileSync(report, "utf8") : "";
rmSync(folder, { recursive: true });
/** @type {import("../../scripts/proof/figures.mjs").Figure[]} */
const lines = text
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));
// Every attack is announced as one that went wrong; its report comes after that.
const figures = [...new Map(lines.map((figure) => [figure.id, figure])).values()];
for (const { id, tried, wrong, detail } of figures) {
  const said = `${id}: ${tried} tried, ${wrong} wrong${detail === "" ? "" : ` (${detail})`}`;
  console.log(wrong > 0 ? `WRONG ${said}` : said);
}
const { line, wrong } = verdict(figures);
console.log(figures.length === 0 ? "FAILED: nothing was tried" : line);
const isGood = code === 0 && wrong === 0 && figures.length > 0;
process.exitCode = isGood ? 0 : code || 1;
if (values.write && isGood) {
  writeFigures({
    name: "hostile",
    command: commandLine("test:hostile", seed),
    seconds: Math.round((performance.now() - began) / 1000),
    figures,
    note: "archives made by hand and damaged ones are in the normal tests too (test/hostile)",
  });
}
