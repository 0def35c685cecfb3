// Which runs the figures of one file are from: a script that takes hours may be run a part at a time.
import { runOf } from "./figures.mjs";

/** @typedef {import("./figures.mjs").Recorded} Recorded */
/** @typedef {import("./figures.mjs").Run & { ids: string[], seconds: number | undefined }} Part */

/** In the order of their dates. @param {Recorded} recorded @returns {Part[]} */
export function partsOf(recorded) {
  /** @type {Map<string, Part>} */ const parts = new Map();
  for (const figure of recorded.figures) {
    const run = runOf(figure, recorded);
    const key = JSON.stringify(run);
    const part = parts.get(key) ?? { ...run, ids: [], seconds: 0 };
    part.ids.push(figure.id);
    part.seconds = add(part.seconds, figure.seconds);
    parts.set(key, part);
  }
  return [...parts.values()].sort((one, other) => one.date.localeCompare(other.date));
}

/** Undefined where it is not known of all. @param {readonly Part[]} parts */
export const secondsOf = (parts) =>
  parts.reduce((sum, { seconds }) => add(sum, seconds), /** @type {number | undefined} */ (0));

/** @param {number | undefined} one @param {number | undefined} other */
const add = (one, other) => (one === undefined || other === undefined ? undefined : one + other);
