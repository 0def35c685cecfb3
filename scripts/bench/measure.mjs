// Times contenders against each other in one interleaved run, and the statistics of it.

/**
 * @typedef {object} Case
 * @property {string} name
 * @property {() => void} [prepare] not timed
 * @property {() => string} run the timed part; what it printed
 * @property {(output: string) => boolean} [check] not timed; whether it did what it was to do
 */

/** @typedef {Map<string, number[]>} Times milliseconds per case, one for each round */

/**
 * Round robin, the order reversed in every second round, so that load and drift hit all of them alike. One round before the
 * first is not counted: it fills the caches.
 * @param {readonly Case[]} cases @param {number} rounds @param {(round: number) => void} onRound
 * @returns {Times}
 */
export function measure(cases, rounds, onRound) {
  /** @type {Times} */ const times = new Map(cases.map(({ name }) => [name, []]));
  for (let round = 0; round <= rounds; round++) {
    onRound(round);
    for (const contender of round % 2 === 0 ? cases : [...cases].reverse()) {
      const ms = timeOnce(contender);
      if (round > 0) times.get(contender.name)?.push(ms);
    }
  }
  return times;
}

/** @param {Case} contender */
export function timeOnce({ name, prepare, run, check }) {
  prepare?.();
  const start = process.hrtime.bigint();
  const output = run();
  const ms = Number(process.hrtime.bigint() - start) / 1e6;
  if (check?.(output) === false) throw new Error(`"${name}" did not do its work: ${output}`);
  return ms;
}

/** @param {readonly number[]} values */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right);
  const middle = sorted.length >> 1;
  const high = sorted[middle] ?? NaN;
  return sorted.length % 2 === 1 ? high : ((sorted[middle - 1] ?? NaN) + high) / 2;
}

/**
 * How much longer one takes than another: the median of the rounds' ratios, and the ratio of the quickest rounds.
 * @param {Times} times @param {string} name @param {string} reference
 * @returns {{ median: number, min: number }}
 */
export function ratio(times, name, reference) {
  const own = timesOf(times, name);
  const other = timesOf(times, reference);
  return {
    median: median(own.map((ms, round) => ms / (other[round] ?? NaN))),
    min: Math.min(...own) / Math.min(...other),
  };
}

/** @param {Times} times @param {string} name @returns {number[]} */
export function timesOf(times, name) {
  const own = times.get(name);
  if (own === undefined) throw new Error(`"${name}" was not measured`);
  return own;
}
