// What scripts that try many things at random have counted: made into figures, and shown.

/** @typedef {import("./figures.mjs").Figure} Figure */

/**
 * @typedef {object} Tally
 * @property {string} what in words
 * @property {number} tried
 * @property {number} wrong
 * @property {Map<string, number>} besides what is neither a success nor wrong (refused, gave up for time), and how often
 */

/** Several counts of the same things as one. @param {Iterable<ReadonlyMap<string, Tally>>} parts @returns {Figure[]} */
export function figuresOf(parts) {
  /** @type {Map<string, Tally>} */ const sums = new Map();
  for (const part of parts)
    for (const [id, { what, tried, wrong, besides }] of part) {
      const sum = sums.get(id) ?? { what, tried: 0, wrong: 0, besides: new Map() };
      sum.tried += tried;
      sum.wrong += wrong;
      for (const [word, times] of besides)
        sum.besides.set(word, (sum.besides.get(word) ?? 0) + times);
      sums.set(id, sum);
    }
  return [...sums].map(([id, { what, tried, wrong, besides }]) => ({
    id,
    what,
    tried,
    wrong,
    ...(besides.size > 0 && {
      detail: [...besides].map(([word, times]) => `${word}: ${times}`).join(", "),
    }),
  }));
}

/** A line for each. @param {readonly Figure[]} figures */
export const showFigures = (figures) =>
  figures
    .map(({ id, tried, wrong, detail }) =>
      [
        id.padEnd(28),
        String(tried).padStart(7),
        ...(wrong === 0 ? [] : [`${wrong} WRONG`]),
        ...(detail === undefined ? [] : [`(${detail})`]),
      ].join(" "),
    )
    .join("\n");
