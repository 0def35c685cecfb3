#!/usr/bin/env node
/**
 * `npm run test:model -- --runs 20000 [--minutes M] [--seed N] [--path P] [--no-shrink] [--keep-going] [--write]`: the model
 * test with as many runs as one likes, or as many of them as fit into some minutes. It stops at the first failure and makes it smaller, or it lists all.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { bundle } from "../support/bundle.mjs";
import { commandLine, writeFigures } from "../../scripts/proof/figures.mjs";
import { requireNumber, showUsage } from "../../scripts/proof/usage.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "300" },
    minutes: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    "no-shrink": { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    write: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) showUsage(import.meta.url);
for (const name of /** @type {const} */ (["runs", "minutes", "seed"]))
  requireNumber("model", name, values[name]);

if (values.write && values.path !== undefined) {
  console.error("model: --write is for a whole search, without --path");
  process.exit(2);
}
const seed = values.seed ?? String(Date.now() % 0x7fff_ffff);
const reports = mkdtempSync(join(tmpdir(), "waymark-model-reports-"));
const env = {
  WAYMARK_MODEL_RUNS: values.runs,
  WAYMARK_MODEL_SEED: seed,
  WAYMARK_MODEL_REPORTS: reports,
  ...(values.minutes === undefined ? {} : { WAYMARK_MODEL_MINUTES: values.minutes }),
  ...(values.path === undefined ? {} : { WAYMARK_MODEL_PATH: values.path }),
  ...(values["keep-going"] ? { WAYMARK_MODEL_KEEP_GOING: "1" } : {}),
  ...(values["no-shrink"] ? { WAYMARK_MODEL_SHRINK: "0" } : {}),
};

/**
 * The exit code of one lane.
 * @param {string} program
 * @param {number} lane
 * @returns {Promise<number>}
 */
function runLane(program, lane) {
  const child = spawn(process.execPath, [program, String(lane)], {
    stdio: "inherit",
    env: { ...process.env, ...env },
  });
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve(code ?? 1));
  });
}

// A repeated run needs one lane only.
const lanes = values.path === undefined ? [0, 1] : [0];
const began = performance.now();
const program = join(reports, "search.mjs");
await bundle("test/model/search.ts", program);
const ends = await Promise.all(lanes.map((lane) => runLane(program, lane)));
process.exitCode = ends.every((code) => code === 0) ? 0 : 1;

/** @type {Map<string, number>} */
const tally = new Map();
/** @type {Map<string, number>} */
const failedRows = new Map();
/** @type {number[]} */
const seeds = [];
let failed = 0;
for (const file of readdirSync(reports).filter((name) => name.endsWith(".json"))) {
  /** @type {{ seed: number, failed: number, failedRows: [string, number][], tally: [string, number][] }} */
  const lane = JSON.parse(readFileSync(join(reports, file), "utf8"));
  seeds.push(lane.seed);
  failed += lane.failed;
  for (const [what, count] of lane.tally) tally.set(what, (tally.get(what) ?? 0) + count);
  for (const [row, count] of lane.failedRows)
    failedRows.set(row, (failedRows.get(row) ?? 0) + count);
}
rmSync(reports, { recursive: true });
const lines = [...tally].sort(([, left], [, right]) => right - left);
for (const [what, count] of lines) console.log(`${String(count).padStart(7)} ${what}`);
for (const [row, count] of failedRows) console.log(`${String(count).padStart(7)} WRONG ${row}`);

// A search that stopped at its first failure says nothing about the rest.
if (values.write && (process.exitCode === 0 || values["keep-going"])) {
  /** @param {RegExp} which */
  const sum = (which) =>
    lines.reduce((total, [what, count]) => (which.test(what) ? total + count : total), 0);
  /** A step that fails may end before it is counted. @param {string} id @param {string} what @param {RegExp} which */
  const row = (id, what, which) => {
    const wrong = failedRows.get(id) ?? 0;
    return { id, what, tried: Math.max(sum(which), wrong), wrong };
  };
  writeFigures({
    name: "model",
    command: commandLine("test:model", seed),
    seconds: Math.round((performance.now() - began) / 1000),
    note: `seeds ${seeds.join(" and ")}`,
    figures: [
      {
        id: "runs",
        what: "random work in random states of the catalogue, compared after each step; wrong is every run that failed, also in its last look (validate, fsck)",
        tried: sum(/^runs$/),
        wrong: failed,
        detail: lines.map(([what, count]) => `${what}: ${count}`).join(", "),
      },
      row(
        "create",
        "checkpoints that changed anything, index bytes and time stamps included",
        /^create /,
      ),
      row(
        "rollback",
        "rollbacks, whole and in part, that left anything but what was expected",
        /^rollback /,
      ),
      row(
        "undo",
        "undos and redos with nothing done since that were not identical",
        /^(undo|redo)$/,
      ),
      row(
        "undo after more work",
        "undos and redos after more work that left anything but what was expected",
        /^(undo|redo) after more work$/,
      ),
      row(
        "kill",
        "rollbacks killed at a random moment that were neither before nor after once recovered",
        /^killed, /,
      ),
      row(
        "carry",
        "checkpoints through an archive into another repository with other files",
        /^carry$/,
      ),
    ],
  });
}
