#!/usr/bin/env node
/**
 * `npm run test:model -- --runs 20000 [--minutes M] [--seed N] [--path P] [--no-shrink] [--keep-going] [--whole-seconds] [--json FILE] [--with A,B] [--write]`: the model
 * test with as many runs as one likes, or as many of them as fit into some minutes. It stops at the first failure and makes it smaller, or it lists all.
 * `--whole-seconds` does all of it on a clock whose time stamps are whole seconds, and which is slow, so that much happens within one.
 * Hours of it can be done in pieces: `--json` leaves what a piece came to, `--with` counts earlier ones.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { wholeSeconds } from "../../scripts/faults/whole-seconds.mjs";
import { bundle } from "../support/bundle.mjs";
import { commandLine, writeFigures } from "../../scripts/proof/figures.mjs";
import { commandOfPieces } from "../../scripts/proof/pieces.mjs";
import { requireNumber, showUsage } from "../../scripts/proof/usage.mjs";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "300" },
    minutes: { type: "string" },
    seed: { type: "string" },
    path: { type: "string" },
    "no-shrink": { type: "boolean", default: false },
    "keep-going": { type: "boolean", default: false },
    "whole-seconds": { type: "boolean", default: false },
    json: { type: "string" },
    with: { type: "string", default: "" },
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
  ...(values["whole-seconds"] ? await wholeSeconds() : {}),
};

/** What a process has in memory is copied for each git that it starts, and a lane starts a hundred for each run. */
const SMALL = ["--max-semi-space-size=1", "--max-old-space-size=64", "--single-threaded-gc"];
const SMALL_HEAP = {
  MALLOC_ARENA_MAX: "1",
  MALLOC_TRIM_THRESHOLD_: "65536",
  MALLOC_MMAP_THRESHOLD_: "65536",
};

/**
 * The exit code of one lane.
 * @param {string} program
 * @param {number} lane
 * @returns {Promise<number>}
 */
function runLane(program, lane) {
  const child = spawn(process.execPath, [...SMALL, program, String(lane)], {
    stdio: "inherit",
    env: { ...process.env, ...SMALL_HEAP, ...env },
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

/**
 * What a search came to.
 * @typedef {{ command: string, seconds: number, seeds: number[], failed: number, failedRows: [string, number][], tally: [string, number][] }} Piece
 */

/** @returns {Piece} */
function ownPiece() {
  const lanesDone = readdirSync(reports)
    .filter((name) => name.endsWith(".json"))
    .map((name) => JSON.parse(readFileSync(join(reports, name), "utf8")));
  return {
    command: commandLine("test:model", seed),
    seconds: Math.round((performance.now() - began) / 1000),
    seeds: lanesDone.map((lane) => lane.seed),
    failed: lanesDone.reduce((sum, lane) => sum + lane.failed, 0),
    failedRows: lanesDone.flatMap((lane) => lane.failedRows),
    tally: lanesDone.flatMap((lane) => lane.tally),
  };
}

const own = ownPiece();
rmSync(reports, { recursive: true });
if (values.json !== undefined) writeFileSync(values.json, `${JSON.stringify(own)}\n`);
/** @type {Piece[]} */
const earlier = values.with
  .split(",")
  .filter(Boolean)
  .map((file) => JSON.parse(readFileSync(file, "utf8")));
const pieces = [...earlier, own];
/** @param {(piece: Piece) => [string, number][]} of */
const summed = (of) => {
  /** @type {Map<string, number>} */ const sums = new Map();
  for (const [what, count] of pieces.flatMap(of)) sums.set(what, (sums.get(what) ?? 0) + count);
  return sums;
};
const tally = summed((piece) => piece.tally);
const failedRows = summed((piece) => piece.failedRows);
const failed = pieces.reduce((sum, piece) => sum + piece.failed, 0);
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
    command: commandOfPieces(
      earlier.map(({ command }) => command),
      own.command,
    ),
    seconds: pieces.reduce((sum, piece) => sum + piece.seconds, 0),
    note: [
      `seeds ${pieces.flatMap(({ seeds }) => seeds).join(", ")}`,
      ...(earlier.length > 0 ? ["in several runs, some on commits before this one"] : []),
    ].join("; "),
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
