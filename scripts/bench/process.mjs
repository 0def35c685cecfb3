// Runs one child process to its end, in an environment that does not depend on who runs the benchmark.
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cleanEnvironment, IDENTITY } from "../faults/process.mjs";

export const BIN = fileURLToPath(new URL("../../dist/bin.cjs", import.meta.url));
const MEMORY_WATCH = fileURLToPath(new URL("memory-watch.mjs", import.meta.url));

/** No contender may keep the others waiting for longer. */
const LONGEST_MS = 240_000;
/** But for the first snapshot in a repository, which some copy all files for: it is made once. */
const PATIENT_MS = 600_000;

/** @typedef {{ cwd: string, input?: Buffer, accept?: readonly number[] }} RunOptions */

/**
 * @typedef {object} Tools
 * @property {string} home
 * @property {(command: string, args: readonly string[], options: RunOptions) => string} run
 * @property {(cwd: string, ...args: string[]) => string} git
 * @property {(cwd: string, ...args: string[]) => string} node
 * @property {(cwd: string, ...args: string[]) => string} waymark
 * @property {<T>(work: () => T) => T} patiently with more time for each command of this work
 * @property {(work: () => void) => number} peakMemory the most that a command of this work and its children had at once, in bytes
 */

/**
 * Everything throws on an unexpected exit code: a contender that failed must not look quick.
 * @param {string} home a folder of its own
 * @param {Record<string, string>} [extra] variables beside the usual ones
 * @param {number} [longestMs]
 * @returns {Tools}
 */
export function makeTools(home, extra = {}, longestMs = LONGEST_MS) {
  mkdirSync(home, { recursive: true });
  // Of the inherited variables only PATH is left, above all not NODE_EXTRA_CA_CERTS: it triples node's start.
  const env = { ...cleanEnvironment(home), ...IDENTITY, ...extra };
  const report = join(home, "peak-memory");
  /** @type {number | undefined} bytes, while somebody asks for them */ let peak;
  let timeout = longestMs;
  /** @type {Tools["run"]} */
  const run = (command, args, { cwd, input, accept = [0] }) => {
    const watched = peak !== undefined;
    const result = spawnSync(
      watched ? process.execPath : command,
      watched ? [MEMORY_WATCH, report, command, ...args] : args,
      // A peer may not listen to less.
      { cwd, env, input, encoding: "utf8", maxBuffer: Infinity, timeout, killSignal: "SIGKILL" },
    );
    if (result.error) throw result.error;
    if (result.status === null || !accept.includes(result.status))
      throw new Error(
        `${command} ${args.join(" ")} ended with ${result.status ?? result.signal}: ${lastWords(result)}\n${result.stderr}`,
      );
    if (peak !== undefined) peak = Math.max(peak, Number(readFileSync(report, "utf8")));
    return result.stdout;
  };
  return {
    home,
    run,
    git: (cwd, ...args) => run("git", args, { cwd }),
    node: (cwd, ...args) => run(process.execPath, args, { cwd }),
    waymark: (cwd, ...args) => run(process.execPath, [BIN, ...args], { cwd }),
    patiently: (work) => {
      timeout = Math.max(longestMs, PATIENT_MS);
      try {
        return work();
      } finally {
        timeout = longestMs;
      }
    },
    peakMemory: (work) => {
      peak = 0;
      try {
        work();
        return peak;
      } finally {
        peak = undefined;
      }
    },
  };
}

const MOST_WORDS = 200;

/** In one line: the reason is mostly at the end, and some write it to stdout. @param {{ stdout: string, stderr: string }} result */
function lastWords({ stdout, stderr }) {
  const said = [stderr, stdout].map((text) => text.trim().replaceAll(/\s+/g, " "));
  return said.find((text) => text !== "")?.slice(-MOST_WORDS) ?? "it said nothing";
}
