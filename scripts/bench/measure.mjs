// Times contenders against each other in one interleaved run.
import { readFileSync } from "node:fs";

/** @typedef {import("./statistics.mjs").Sample} Sample */
/** @typedef {import("./statistics.mjs").Times} Times */

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {() => void} [prepare] not timed
 * @property {() => string} run the timed part; what it printed
 * @property {(output: string) => Sample} [timed] for what times itself: a call in a process that is running already
 * @property {(output: string) => boolean} [check] not timed; whether it did what it was to do
 * @property {boolean} [peer] somebody else's: it may fail, and is then left out
 */

/**
 * @typedef {object} Watch
 * @property {(round: number) => void} onRound
 * @property {(name: string, why: string) => void} onDropped a peer that failed or takes too long
 */

/** A peer that takes longer for one is not waited for again. */
const TOO_SLOW_MS = 20_000;

/**
 * Round robin, the order reversed in every second round, so that load and drift hit all of them alike. One round before the
 * first is not counted: it fills the caches.
 * @param {readonly Case[]} cases @param {number} rounds @param {Watch} watch
 * @returns {Times}
 */
export function measure(cases, rounds, watch) {
  /** @type {Times} */ const times = new Map(cases.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    watch.onRound(round);
    for (const contender of round % 2 === 0 ? cases : [...cases].reverse()) {
      const { name } = contender;
      if (!times.has(name)) continue;
      const sample = tryOnce(contender);
      if (typeof sample === "string") {
        times.delete(name);
        watch.onDropped(name, sample);
      } else if (round > 0) times.get(name)?.push(sample);
    }
  }
  return times;
}

/** The time, or why a peer is left out. @param {Case} contender @returns {Sample | string} */
function tryOnce(contender) {
  if (contender.peer !== true) return timeOnce(contender);
  try {
    const sample = timeOnce(contender);
    return sample.ms < TOO_SLOW_MS ? sample : `one took ${(sample.ms / 1000).toFixed(0)} s`;
  } catch (error) {
    return firstLine(error);
  }
}

/** Without paths: they are in a folder that is gone, and would leave no room for the reason. @param {unknown} error */
export const firstLine = (error) =>
  /** @type {Error} */ (error).message
    .trim()
    .split("\n")[0]
    ?.replaceAll(/(?:\/[^\s/=]+){2,}/g, "…")
    .slice(0, 300) ?? "";

/** @param {Case} contender @returns {Sample} */
export function timeOnce({ name, prepare, run, timed, check }) {
  prepare?.();
  const cpu = cpuOfChildren();
  const start = process.hrtime.bigint();
  const output = run();
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  const cpuMs = cpuOfChildren() - cpu;
  if (check?.(output) === false) throw new Error(`"${name}" did not do its work: ${output}`);
  return timed?.(output) ?? { ms, cpuMs };
}

/** Linux counts in hundredths of a second (USER_HZ), on every architecture that node runs on. */
const MS_PER_TICK = 10;

/** User and system time of all children that have ended, and of theirs. */
export function cpuOfChildren() {
  if (process.platform !== "linux") return NaN;
  const stat = readFileSync("/proc/self/stat", "latin1");
  // The name of the program may hold blanks and brackets: the fields are counted after its end.
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  return (Number(fields[13]) + Number(fields[14])) * MS_PER_TICK;
}
