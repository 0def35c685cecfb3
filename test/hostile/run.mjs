#!/usr/bin/env node
/** `npm run test:hostile -- --runs 2000 [--seed N] [--only ID] [--write]`: hostile input of every kind, as often as one likes. */
import { spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { verdict, writeFigures } from "../../scripts/proof/figures.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "400" },
    seed: { type: "string" },
    only: { type: "string" },
    write: { type: "boolean", default: false },
  },
});

const seed = values.seed ?? String(Date.now() % 0x7fff_ffff);
const folder = mkdtempSync(join(tmpdir(), "waymark-hostile-report-"));
const report = join(folder, "report");
const env = {
  ...process.env,
  WAYMARK_HOSTILE_RUNS: values.runs,
  WAYMARK_HOSTILE_SEED: seed,
  WAYMARK_HOSTILE_REPORT: report,
  ...(values.only === undefined ? {} : { WAYMARK_HOSTILE_ONLY: values.only }),
};
const vitest = join(
  dirname(createRequire(import.meta.url).resolve("vitest/package.json")),
  "vitest.mjs",
);
const root = fileURLToPath(new URL("../..", import.meta.url));
const began = performance.now();
const result = spawnSync(process.execPath, [vitest, "run", "test/hostile/fuzz"], {
  cwd: root,
  env,
  stdio: "inherit",
});
process.exitCode = result.status ?? 1;
const text = existsSync(report) ? readFileSync(report, "utf8") : "";
rmSync(folder, { recursive: true });
/** @type {import("../../scripts/proof/figures.mjs").Figure[]} */
const figures = text
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => JSON.parse(line));
for (const { id, tried, wrong, detail } of figures) {
  console.log(`${id}: ${tried} tried, ${wrong} wrong${detail === "" ? "" : ` (${detail})`}`);
}
console.log(verdict(figures).line);
if (values.write) {
  writeFigures({
    name: "hostile",
    command: `npm run test:hostile -- --runs ${values.runs} --seed ${seed}`,
    seconds: Math.round((performance.now() - began) / 1000),
    figures,
    note: "archives made by hand and damaged ones are in the normal tests too (test/hostile)",
  });
}
