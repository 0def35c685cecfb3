// Tries faults on every point of everything that changes files, and prints what they did. See README.md beside it.
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { parseArgs } from "node:util";
import { commandLine, verdict, writeFigures } from "../proof/figures.mjs";
import { commandOfPieces } from "../proof/pieces.mjs";
import { seedOf, stratified } from "./choose.mjs";
import { faultNamed } from "./faults.mjs";
import { figuresOf } from "./figures.mjs";
import { prepareKillpoint } from "./killpoint.mjs";
import { baselineMatrix, failed, fullMatrix, ownDiskMatrix, runMatrix } from "./matrix.mjs";
import { openPowerSlot, powerCutsMissing } from "./power-slot.mjs";
import { failureLines, tableHead, tableRow } from "./table.mjs";
import { DEFAULT_BIN, missingProgram } from "./waymark.mjs";

const USAGE = `node scripts/faults/run.mjs [options]
  --sample N       every N-th point only
  --points N       at most N points of each row: the row is cut into N equal parts, and one point of each is drawn
  --seed S         which points are drawn, and where a sample starts (default 1)
  --scenario A,B   only these: plain, mixed, merge, detached, linked, parts, committed
  --only A,B       only these commands: create, hook, rollback, undo, redo, recover, rebuild, only-session, cleanup, delete,
                   undelete, purge, grace, import, export
  --fault A,B      only these faults (kill, torn, enospc … ; see faults.mjs)
  --kind A,B       only these kinds of faults: crash, failure, save, git, pause, damage (an object lost, flipped or empty,
                   the session's document damaged, a clock of whole seconds)
  --at K, --at K-L only this point, or these
  --baseline       git stash push -u instead of waymark
  --power-cuts     cut the power instead, or fill the disk, of create, rollback, undo and git stash push -u; needs root and loop devices
  --slots N        cases at the same time (default 2)
  --bin FILE       the program (default dist/bin.cjs)
  --json FILE      the rows and all failures as JSON
  --with A,B       rows of earlier runs (--json) that count too
  --write          write docs/proof/faults.json, or power-cuts.json, or stash.json with --baseline
  --show N         failures to print per row (default 3)`;

async function main() {
  const { values } = parseArgs({
    options: {
      sample: { type: "string", default: "1" },
      points: { type: "string" },
      seed: { type: "string", default: "1" },
      scenario: { type: "string" },
      only: { type: "string" },
      fault: { type: "string" },
      kind: { type: "string" },
      at: { type: "string" },
      baseline: { type: "boolean", default: false },
      "power-cuts": { type: "boolean", default: false },
      with: { type: "string", default: "" },
      write: { type: "boolean", default: false },
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
  const { scenario, only, fault, kind, at } = values;
  if (values.write && values.with === "" && [scenario, only, fault, kind, at].some(Boolean))
    return stop(
      "--write: the page shows whole runs, and this is a part of one (--with adds the rest)",
    );
  const killpoint = await prepareKillpoint();
  if (killpoint.kind === "unavailable") return stop(`not run: ${killpoint.reason}`);
  const bin = resolve(values.bin);
  const missing = values.baseline ? undefined : missingProgram(bin);
  if (missing !== undefined) return stop(missing);

  const power = values["power-cuts"];
  const impossible = power ? await powerCutsMissing() : undefined;
  if (impossible !== undefined) return stop(`not run: ${impossible}`);

  const among = (/** @type {string | undefined} */ list, /** @type {string} */ name) =>
    list === undefined || list.split(",").includes(name);
  const matrix = power ? ownDiskMatrix : values.baseline ? baselineMatrix : fullMatrix;
  const names = matrix().filter(
    (row) =>
      among(values.scenario, row.scenario) &&
      among(values.only, row.command) &&
      among(values.fault, row.fault) &&
      among(values.kind, faultNamed(row.fault).judgement),
  );
  if (names.length === 0) return stop("no row of the matrix is left");

  const earlier = values.with === "" ? [] : values.with.split(",").map(readRun);
  const started = Date.now();
  console.log(tableHead());
  const rows = await runMatrix(names, {
    bin,
    killpoint: killpoint.path,
    slots: positive("--slots", values.slots),
    choose: chooser(values),
    movable: at === undefined,
    onRow: (row) =>
      console.log([tableRow(row), ...failureLines(row, Number(values.show))].join("\n")),
    onNote: (text) => console.error(text),
    ...(power && { open: openPowerSlot }),
  });
  const seconds = Math.round((Date.now() - started) / 1000);
  const command = commandLine("faults");
  if (values.json !== undefined)
    writeFileSync(
      values.json,
      `${JSON.stringify({ schema_version: 1, kind: "faults", command, bin, seconds, rows }, null, 2)}\n`,
    );
  const all = [...earlier.flatMap((run) => run.rows), ...rows];
  const { figures, note } = figuresOf(all, matrix());
  if (values.write)
    writeFigures({
      // What git does is no part of what we do, and must not take its place on the page.
      name: power ? "power-cuts" : values.baseline ? "stash" : "faults",
      command: commandOfPieces(
        earlier.map((run) => run.command),
        command,
      ),
      seconds: earlier.reduce((sum, run) => sum + run.seconds, seconds),
      figures,
      note: [
        note,
        ...(earlier.length > 0 ? ["in several runs, some on commits before this one"] : []),
      ].join("; "),
    });

  const cases = rows.reduce((sum, row) => sum + row.cases, 0);
  console.log(`${cases} cases in ${seconds} s`);
  const bad = all.filter((row) => failed(row) && row.command !== "stash").length;
  console.log(
    values.write && !values.baseline ? verdict(figures).line : bad === 0 ? "ok" : `FAILED ${bad}`,
  );
  if (bad > 0) process.exitCode = 1;
}

/** @param {string} file @returns {{ command: string, seconds: number, rows: import("./matrix.mjs").Row[] }} */
const readRun = (file) => JSON.parse(readFileSync(file, "utf8"));

/** @param {{ at?: string, points?: string, sample: string, seed: string }} values */
function chooser({ at, points: most, sample, seed }) {
  const step = positive("--sample", sample);
  const drawn = positive("--seed", seed);
  const first = 1 + ((drawn - 1) % step);
  return (/** @type {number} */ points, /** @type {import("./matrix.mjs").RowName} */ row) => {
    if (at !== undefined) {
      const [from = 0, to = from] = at.split("-").map((text) => positive("--at", text));
      return Array.from({ length: to - from + 1 }, (_, index) => from + index);
    }
    if (most !== undefined)
      return stratified(points, positive("--points", most), seedOf(drawn, row));
    const chosen = [];
    for (let point = first; point <= points; point += step) chosen.push(point);
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
