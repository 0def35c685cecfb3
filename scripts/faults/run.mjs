// Tries faults on every point of create, rollback, undo and recover, and prints what they did. See README.md beside it.
import { writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { prepareKillpoint } from "./killpoint.mjs";
import { baselineMatrix, failed, fullMatrix, runMatrix } from "./matrix.mjs";
import { failureLines, tableHead, tableRow } from "./table.mjs";
import { DEFAULT_BIN, missingProgram } from "./waymark.mjs";

const USAGE = `node scripts/faults/run.mjs [options]
  --sample N       every N-th point only
  --seed S         where a sample starts (default 1)
  --scenario A,B   only these: plain, mixed, merge, detached, linked, parts
  --only A,B       only these commands: create, rollback, undo, recover
  --fault A,B      only these faults (kill, torn, enospc … ; see faults.mjs)
  --at K, --at K-L only this point, or these
  --baseline       git stash push -u instead of waymark
  --slots N        cases at the same time (default 2)
  --bin FILE       the program (default dist/bin.cjs)
  --json FILE      the rows and all failures as JSON
  --show N         failures to print per row (default 3)`;

async function main() {
  const { values } = parseArgs({
    options: {
      sample: { type: "string", default: "1" },
      seed: { type: "string", default: "1" },
      scenario: { type: "string" },
      only: { type: "string" },
      fault: { type: "string" },
      at: { type: "string" },
      baseline: { type: "boolean", default: false },
      slots: { type: "string", default: "2" },
      bin: { type: "string", default: DEFAULT_BIN },
      json: { type: "string" },
      show: { type: "string", default: "3" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) {
    console.log(USAGE);
    return;
  }
  const killpoint = await prepareKillpoint();
  if (killpoint.kind === "unavailable") return stop(`not run: ${killpoint.reason}`);
  const bin = resolve(values.bin);
  const missing = values.baseline ? undefined : missingProgram(bin);
  if (missing !== undefined) return stop(missing);

  const among = (/** @type {string | undefined} */ list, /** @type {string} */ name) =>
    list === undefined || list.split(",").includes(name);
  const names = (values.baseline ? baselineMatrix() : fullMatrix()).filter(
    (row) =>
      among(values.scenario, row.scenario) &&
      among(values.only, row.command) &&
      among(values.fault, row.fault),
  );
  if (names.length === 0) return stop("no row of the matrix is left");

  const started = Date.now();
  console.log(tableHead());
  const rows = await runMatrix(names, {
    bin,
    killpoint: killpoint.path,
    slots: positive("--slots", values.slots),
    choose: chooser(
      values.at,
      positive("--sample", values.sample),
      positive("--seed", values.seed),
    ),
    onRow: (row) =>
      console.log([tableRow(row), ...failureLines(row, Number(values.show))].join("\n")),
    onNote: (text) => console.error(text),
  });
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ schema_version: 1, kind: "faults", bin, rows }, null, 2)}\n`,
    );

  const bad = rows.filter(failed).length;
  const cases = rows.reduce((sum, row) => sum + row.cases, 0);
  console.log(`${cases} cases in ${Math.round((Date.now() - started) / 1000)} s`);
  console.log(bad === 0 ? "ok" : `FAILED ${bad}`);
  if (bad > 0 && !values.baseline) process.exitCode = 1;
}

/** @param {string | undefined} at @param {number} sample @param {number} seed */
function chooser(at, sample, seed) {
  return (/** @type {number} */ points) => {
    if (at !== undefined) {
      const [first = 0, last = first] = at.split("-").map((text) => positive("--at", text));
      return Array.from({ length: last - first + 1 }, (_, index) => first + index);
    }
    const chosen = [];
    for (let point = 1 + ((seed - 1) % sample); point <= points; point += sample)
      chosen.push(point);
    return chosen;
  };
}

/** @param {string} option @param {string} text */
function positive(option, text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new Error(`${option} wants a number from 1 up, not ${text}`);
  return number;
}

/** Never a silent pass: what was not tried is an error. @param {string} reason */
function stop(reason) {
  console.error(reason);
  process.exitCode = 2;
}

for (const [signal, code] of /** @type {const} */ ([
  ["SIGINT", 130],
  ["SIGTERM", 143],
]))
  process.once(signal, () => process.exit(code));
await main();
