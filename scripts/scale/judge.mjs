// What is expected of growth, and what was found. docs/scale.md states these bounds.

/** @typedef {import("./site.mjs").Measured} Measured */
/** @typedef {import("./scenarios.mjs").Scenario} Scenario */

/** Ten times the size may take that many times the processor time: linear is 10, and the rest is what other load adds. */
const MOST_GROWTH = 13;
/** The same where it must not depend on the size. */
const MOST_FLAT = 2;
/** What node itself gives or takes from one run to the next. */
const SLACK_MB = 60;

const MB = 1024 * 1024;

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {Measured} small with a tenth of the size
 * @property {Measured} large
 * @property {number} growth of the processor time
 * @property {readonly string[]} wrong
 */

/** @param {Scenario} scenario @param {number} size @param {Measured} small @param {Measured} large @returns {Row} */
export function judge({ bytesPerItem }, size, small, large) {
  const growth = large.cpuMs / Math.max(1, small.cpuMs);
  const most = large.flat ? MOST_FLAT : MOST_GROWTH;
  const more = SLACK_MB + (bytesPerItem * size * 0.9) / MB;
  /** @type {string[]} */ const wrong = [];
  for (const measured of [small, large])
    if (measured.wrong !== undefined) wrong.push(measured.wrong);
  if (wrong.length === 0 && growth > most)
    wrong.push(
      `ten times the size took ${growth.toFixed(1)} times as long, and ${most} is the most`,
    );
  if (wrong.length === 0 && large.ownMb > small.ownMb + more)
    wrong.push(
      `took ${Math.round(large.ownMb - small.ownMb)} MB more memory, and ${Math.round(more)} is the most`,
    );
  return { name: large.name, small, large, growth, wrong };
}

/** Of the user's own git beside checkpoints to what it takes without any: it must not notice them, and the rest is noise. */
const USERS_RATIO = { least: 0.95, most: 1.1 };

/** What is wrong with it, "" for nothing. @param {number} ratio */
export function judgeUsersGit(ratio) {
  const { least, most } = USERS_RATIO;
  // Not `ratio > most`: what was not measured is not right either.
  if (ratio >= least && ratio <= most) return "";
  return `took ${ratio.toFixed(3)} times as long, and ${least} to ${most} is allowed`;
}
