// Measures Waymark against git and the tools that people use. docs/benchmarks.md explains the method.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { writeFigures } from "../proof/figures.mjs";
import { describeMachine } from "../proof/machine.mjs";
import { observe } from "./behaviour.mjs";
import { buildContenders, findPeers } from "./contenders/all.mjs";
import { bytesEach, peakMemory, takeFirst } from "./footprint.mjs";
import { judgeGoals } from "./goals.mjs";
import { buildPair, describeObjects, listCases, userCases } from "./many-checkpoints.mjs";
import { count, times } from "./markdown-table.mjs";
import { firstLine, measure } from "./measure.mjs";
import { PER_SIZE, readOptions, USAGE } from "./options.mjs";
import { writePage } from "./page.mjs";
import { drawPlot } from "./plot.mjs";
import { plotOf } from "./plot-results.mjs";
import { BIN, makeTools } from "./process.mjs";
import { render } from "./report.mjs";
import { WORK } from "./work.mjs";

/** @typedef {import("./contenders/contender.mjs").Contender} Contender */
/** @typedef {import("./options.mjs").Options} Options */
/** @typedef {import("./report.mjs").Results} Results */
/** @typedef {import("./report.mjs").SizeResult} SizeResult */

/** The snapshots that disk space is measured with, at least. */
const DISK_SNAPSHOTS = 20;

const OBSERVED_FILES = 200;

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** @param {string} name @param {string} where @param {string} why */
const leftOut = (name, where, why) => `${name}, ${where}: left out, ${why}`;

/**
 * Does something with each contender. A peer that fails is a line in the notes and takes no further part.
 * @template T
 * @param {Contender[]} contenders those who failed are removed from it
 * @param {string[]} notes @param {string} where @param {(contender: Contender) => T} work
 * @returns {Map<string, T>}
 */
function forEach(contenders, notes, where, work) {
  /** @type {Map<string, T>} */ const found = new Map();
  for (const contender of contenders.slice()) {
    try {
      found.set(contender.name, work(contender));
    } catch (error) {
      if (!contender.peer) throw error;
      contenders.splice(contenders.indexOf(contender), 1);
      notes.push(leftOut(contender.name, where, firstLine(error)));
    }
  }
  return found;
}

/**
 * @param {Options} options @param {readonly import("./contenders/all.mjs").Peer[]} peers
 * @param {{ folder: string, files: number, notes: string[] }} place
 * @returns {{ result: SizeResult, able: readonly import("./contenders/all.mjs").Peer[] }} with those who took a first snapshot
 */
function measureSize(options, peers, { folder, files, notes }) {
  const where = `${count(files)} files`;
  say(`${where}: building ${peers.length + 1} repositories`);
  const all = buildContenders(peers, folder, files);
  const contenders = all.slice();
  const rounds = options.rounds(files);
  const sync = () => execFileSync("sync");
  say(`${where}: the first checkpoints`);
  const first = forEach(contenders, notes, where, (contender) => {
    sync();
    return takeFirst(contender);
  });
  const able = peers.filter((_, at) => contenders.some((one) => one === all[at + 1]));
  /** @type {import("./report.mjs").Group[]} */ const groups = [];
  const timeGroup = (/** @type {import("./work.mjs").Work} */ { kind, title, cases }) => {
    const wanted = options.kinds.includes(kind) ? cases(contenders) : [];
    if (wanted.length === 0) return;
    sync();
    const measured = measure(wanted, rounds, {
      onRound: (round) =>
        say(`${where}, ${title}: ${round === 0 ? "warming up" : `round ${round}`}`),
      onDropped: (name, why) => notes.push(leftOut(name, `${where}, ${kind}`, why)),
    });
    groups.push({ kind, title, times: measured });
  };
  const [before, after] = [
    WORK.filter(({ kind }) => kind !== "dirty"),
    WORK.filter(({ kind }) => kind === "dirty"),
  ];
  before.forEach(timeGroup);
  if (options.kinds.includes("disk")) say(`${where}: disk`);
  const disk = options.kinds.includes("disk")
    ? {
        count: DISK_SNAPSHOTS,
        each: forEach(contenders, notes, where, (each) => bytesEach(each, DISK_SNAPSHOTS)),
      }
    : undefined;
  if (options.kinds.includes("memory")) say(`${where}: memory`);
  const memory =
    options.kinds.includes("memory") && process.platform === "linux"
      ? forEach(contenders, notes, where, peakMemory)
      : new Map();
  after.forEach(timeGroup);
  say(`${where}: removing the repositories`);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  sync();
  return { result: { files, rounds, groups, first, disk, memory }, able };
}

/**
 * One after the other. Who could not take its first snapshot with so many files is not asked with more: that alone may take it ten minutes.
 * @param {Options} options @param {readonly import("./contenders/all.mjs").Peer[]} peers @param {string} folder @param {string[]} notes
 */
function measureSizes(options, peers, folder, notes) {
  const wanted = options.kinds.some((kind) => PER_SIZE.includes(kind)) ? options.sizes : [];
  /** @type {SizeResult[]} */ const results = [];
  let taking = peers;
  for (const files of wanted.toSorted((one, other) => one - other)) {
    const place = { folder: join(folder, String(files)), files, notes };
    const { result, able } = measureSize(options, taking, place);
    results.push(result);
    taking = able;
  }
  return results;
}

/** @param {Options} options @param {string} folder @returns {Results["many"]} */
function measureMany({ kinds, checkpoints, rounds }, folder) {
  if (!kinds.includes("list") && !kinds.includes("users")) return undefined;
  const tools = makeTools(join(folder, "home"));
  say(`${count(checkpoints)} checkpoints: building`);
  const pair = buildPair(tools, folder, checkpoints);
  execFileSync("sync");
  /** @param {string} kind @param {() => import("./measure.mjs").Case[]} cases */
  const timed = (kind, cases) =>
    kinds.includes(kind)
      ? measure(cases(), rounds(0), {
          onRound: (round) => say(`${kind}: ${round === 0 ? "warming up" : `round ${round}`}`),
          onDropped: () => {},
        })
      : undefined;
  return {
    count: checkpoints,
    lists: timed("list", () => listCases(tools, pair, checkpoints)),
    users: timed("users", () => userCases(tools, pair)),
    objects: {
      without: describeObjects(tools, pair.without),
      many: describeObjects(tools, pair.many),
    },
  };
}

/** Of one that is small. @param {readonly import("./contenders/all.mjs").Peer[]} peers @param {string} folder @param {string[]} notes */
function observeAll(peers, folder, notes) {
  say("what each does to a project");
  return forEach(buildContenders(peers, folder, OBSERVED_FILES), notes, "behaviour", observe);
}

/** @param {Options} options @param {Results} results @param {number} seconds */
function write(options, results, seconds) {
  const plot = plotOf(results);
  writePage(render(results), plot && drawPlot(plot));
  writeFigures({
    name: "bench",
    command: options.command,
    seconds,
    note: results.notes.join(" "),
    figures: judgeGoals(results).map(({ id, what, most, median, cpu, reached }) => ({
      id,
      what: `goal: ${what}`,
      tried: 1,
      wrong: reached ? 0 : 1,
      detail: `${times(median)}, goal ${times(most)}, CPU ${times(cpu)}`,
    })),
  });
}

function main() {
  const options = readOptions(process.argv.slice(2));
  if (options === undefined) return console.log(USAGE);
  if (!existsSync(BIN)) throw new Error("dist/bin.cjs is not there: run `npm run build` first");
  if (options.peers.length > 0) say("looking for the peers");
  const { peers, notes } = findPeers(options.peers);
  notes.forEach(say);

  const started = Date.now();
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-bench-")));
  try {
    const machine = describeMachine(folder);
    const sizes = measureSizes(options, peers, folder, notes);
    /** @type {Results} */
    const results = {
      machine,
      commit: execFileSync("git", ["rev-parse", "--short=10", "HEAD"], {
        cwd: import.meta.dirname,
        encoding: "utf8",
      }).trim(),
      date: new Date().toISOString().slice(0, 10),
      sizes,
      many: measureMany(options, join(folder, "many")),
      behaviour: options.kinds.includes("behaviour")
        ? observeAll(peers, join(folder, "behaviour"), notes)
        : new Map(),
      notes,
    };
    console.log(render(results));
    if (options.write) write(options, results, Math.round((Date.now() - started) / 1000));
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Ctrl+C ends the running child, and that error leads to the clean-up.
process.on("SIGINT", () => {});
try {
  main();
} catch (error) {
  console.error(`bench: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
