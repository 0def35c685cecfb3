// Puts figures into docs/proof/scale.json as they come: a later scenario may take an hour, and fail.
import { earlierFigures, ofThisRun, writeFigures } from "../proof/figures.mjs";

/** @typedef {import("../proof/figures.mjs").Figure} Figure */

/**
 * What is not tried this time stays as it was, and says which run it is from.
 * @param {readonly string[]} order of all ids @param {{ quick: boolean, skipped: readonly string[] }} run
 */
export function openRecord(order, { quick, skipped }) {
  const began = Date.now();
  /** @type {Figure[]} */ const own = [];
  return {
    /** @param {Figure} figure @param {number} seconds that it took */
    add: (figure, seconds) => {
      own.push(ofThisRun(figure, seconds));
      const kept = earlierFigures("scale").filter(({ id }) => !own.some((one) => one.id === id));
      writeFigures({
        name: "scale",
        // All parts together are what a run without a choice of them does.
        command: `npm run scale -- ${quick ? "--quick " : ""}--write`,
        seconds: Math.round((Date.now() - began) / 1000),
        figures: [...kept, ...own].sort(
          (one, other) => order.indexOf(one.id) - order.indexOf(other.id),
        ),
        ...(skipped.length === 0 ? {} : { note: `Skipped: ${skipped.join("; ")}.` }),
      });
    },
  };
}
