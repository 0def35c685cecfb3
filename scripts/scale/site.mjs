// A place where one size of one scenario is tried: a folder, and the commands that are measured in it.
import { mkdirSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { BIN, makeTools } from "../bench/process.mjs";
import { cleanEnvironment, IDENTITY } from "../faults/process.mjs";
import { watch } from "./watch.mjs";

/** @typedef {import("./watch.mjs").Watched} Watched */

/** A `git add` of 5 GiB on a busy machine takes minutes. */
const LONGEST_MS = 3_600_000;

/**
 * One command that is measured.
 * @typedef {object} Step
 * @property {string} name
 * @property {() => void} [prepare] not measured
 * @property {readonly string[] | (() => readonly string[])} args of waymark
 * @property {(() => string)} [input]
 * @property {number} [code] expected exit code, 0 unless told
 * @property {(result: Watched) => boolean | string} [check] whether it did what it was to do; a text says what is wrong
 * @property {boolean} [flat] its time must not grow with the size
 * @property {boolean} [once] it cannot be repeated
 */

/**
 * @typedef {object} Measured
 * @property {string} name
 * @property {boolean} flat
 * @property {number} ms
 * @property {number} cpuMs
 * @property {number} ownMb of the node process
 * @property {number} treeMb with its git children
 * @property {string | undefined} wrong
 */

/** @typedef {ReturnType<typeof openSite>} Site */

/** What takes longer is measured once. */
const REPEATED_UNDER_MS = 3000;
const REPEATS = 3;
/** Where the bound is narrow, and all of it is the start of processes. */
const FLAT_REPEATS = 5;

/** @param {string} folder */
export function openSite(folder) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const env = {
    ...cleanEnvironment(home),
    ...IDENTITY,
    // A cleanup in the background would be measured with whatever runs at that moment.
    WAYMARK_NO_AUTO_CLEANUP: "1",
    // However busy the machine is: what a hook does is measured, not whether it gave up.
    WAYMARK_AGENTS_DEADLINE: "10m",
  };
  return {
    tools: makeTools(home, {}, LONGEST_MS),
    project: join(folder, "project"),
    /** @param {string} name */
    beside: (name) => join(folder, name),
    /** @param {Step} step @returns {Promise<Measured>} */
    measure: (step) => measureStep(step, join(folder, "project"), env),
  };
}

/** The quickest of some runs: load of the machine only ever adds. @param {Step} step @param {string} cwd @param {Record<string, string>} env */
async function measureStep(step, cwd, env) {
  /** @type {Measured} */
  const best = {
    name: step.name,
    flat: step.flat === true,
    ms: Infinity,
    cpuMs: Infinity,
    ownMb: 0,
    treeMb: 0,
    wrong: undefined,
  };
  const repeats = best.flat ? FLAT_REPEATS : REPEATS;
  for (let run = 0; run < repeats; run++) {
    step.prepare?.();
    const args = typeof step.args === "function" ? step.args() : step.args;
    const input = step.input?.();
    const result = await watch(process.execPath, [BIN, ...args], {
      cwd,
      env,
      ...(input === undefined ? {} : { input }),
    });
    best.ms = Math.min(best.ms, result.ms);
    best.cpuMs = Math.min(best.cpuMs, result.cpuMs);
    best.ownMb = Math.max(best.ownMb, result.ownMb);
    best.treeMb = Math.max(best.treeMb, result.treeMb);
    best.wrong ??= wrongWith(step, result);
    if (step.once === true || best.wrong !== undefined || result.cpuMs > REPEATED_UNDER_MS) break;
  }
  return best;
}

/** @param {Step} step @param {Watched} result */
function wrongWith({ code = 0, check }, result) {
  if (result.code !== code) return `exit code ${result.code}: ${result.stderr.slice(-500)}`;
  const verdict = check?.(result) ?? true;
  if (verdict === true) return undefined;
  return verdict === false ? `did not do its work: ${result.stdout.slice(0, 300)}` : verdict;
}

/** Of all files below a folder. @param {string} folder @returns {number} */
export function bytesBelow(folder) {
  return readdirSync(folder, { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile())
    .reduce((sum, entry) => sum + statSync(join(entry.parentPath, entry.name)).size, 0);
}
