// What is made of many timed runs: medians, ratios and growth.

/**
 * One timed run. CPU time is user and system time of all processes; NaN where the system does not tell.
 * @typedef {{ ms: number, cpuMs: number }} Sample
 */

/** @typedef {Map<string, Sample[]>} Times of each contender, one sample for each round */

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? NaN) + high) / 2;
}

/** @param {readonly number[]} values */
const mean = (values) => values.reduce((sum, value) => sum + value, 0) / values.length;

/** @param {Times} times @param {string} name */
export function summary(times, name) {
  const samples = samplesOf(times, name);
  const ms = samples.map((sample) => sample.ms);
  return {
    medianMs: median(ms),
    minMs: Math.min(...ms),
    // The system counts CPU time in hundredths of a second: only a mean of many is finer than that.
    cpuMs: mean(samples.map((sample) => sample.cpuMs)),
  };
}

/**
 * How much longer one takes than another: the median of the rounds' ratios, the ratio of the quickest rounds, and that of the
 * CPU time of all rounds.
 * @param {Times} times @param {string} name @param {string} reference
 * @returns {{ median: number, min: number, cpu: number }}
 */
export function ratio(times, name, reference) {
  const own = samplesOf(times, name);
  const other = samplesOf(times, reference);
  const ofOwn = summary(times, name);
  const ofOther = summary(times, reference);
  return {
    median: median(own.map(({ ms }, round) => ms / (other[round]?.ms ?? NaN))),
    min: ofOwn.minMs / ofOther.minMs,
    cpu: ofOther.cpuMs > 0 ? ofOwn.cpuMs / ofOther.cpuMs : NaN,
  };
}

/** By how much each value is more than the one before it. @param {readonly number[]} values @returns {number[]} */
export const growth = (values) => values.slice(1).map((value, at) => value / (values[at] ?? NaN));

/** @param {Times} times @param {string} name @returns {Sample[]} */
function samplesOf(times, name) {
  const own = times.get(name);
  if (own === undefined) throw new Error(`"${name}" was not measured`);
  return own;
}
