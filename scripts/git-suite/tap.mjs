// Reads the results of git's test scripts (TAP) and compares two runs of one script.

/** @typedef {"passed" | "failed" | "skipped" | "known breakage" | "breakage fixed"} Outcome as git's test-lib.sh tells them apart */
/** @typedef {{ number: number, title: string, outcome: Outcome }} Test */
/** @typedef {{ tests: readonly Test[], planned: number | undefined }} Results `planned`: undefined where the script did not reach its end */
/** @typedef {{ number: number, title: string, without: Outcome | "no result", with: Outcome | "no result" }} Difference */
/** @typedef {{ test: string, title: RegExp, mode?: string, reason: string }} Known */

/** @param {string} text @returns {Results} */
export function parseTap(text) {
  /** @type {Test[]} */ const tests = [];
  /** @type {number | undefined} */ let planned;
  for (const line of text.split("\n")) {
    const plan = /^1\.\.(\d+)/.exec(line);
    if (plan) planned = Number(plan[1]);
    const match = /^(not )?ok (\d+)(?: - | )?(.*)$/.exec(line);
    if (!match) continue;
    const [, not, number, rest = ""] = match;
    const [title = "", directive = ""] = rest.split(/ ?# (?=TODO|skip)/i, 2);
    tests.push({
      number: Number(number),
      // The reason of a skipped test is in front of its title.
      title: /^skip/i.test(directive) ? directive.replace(/^skip */i, "") || title : title.trim(),
      outcome: outcomeOf(not !== undefined, directive),
    });
  }
  return { tests, planned };
}

/** @param {boolean} isNot @param {string} directive @returns {Outcome} */
function outcomeOf(isNot, directive) {
  if (/^skip/i.test(directive)) return "skipped";
  if (/^TODO/i.test(directive)) return isNot ? "known breakage" : "breakage fixed";
  return isNot ? "failed" : "passed";
}

/** @param {Results} without @param {Results} among @returns {Difference[]} */
export function compareResults(without, among) {
  const other = new Map(among.tests.map((test) => [test.number, test]));
  const first = new Map(without.tests.map((test) => [test.number, test]));
  /** @type {Difference[]} */ const found = [];
  for (const { number, title, outcome } of without.tests) {
    const there = other.get(number)?.outcome ?? "no result";
    if (there !== outcome) found.push({ number, title, without: outcome, with: there });
  }
  for (const { number, title, outcome } of among.tests)
    if (!first.has(number)) found.push({ number, title, without: "no result", with: outcome });
  return found;
}

/**
 * The reason of a difference that is known; undefined for one that is not.
 * @param {readonly Known[]} known @param {string} test @param {string} mode @param {Difference} difference
 */
export const reasonOf = (known, test, mode, { title }) =>
  known.find(
    (one) =>
      one.test === test && (one.mode === undefined || one.mode === mode) && one.title.test(title),
  )?.reason;

/** @param {Results} results */
export const passedOf = ({ tests }) => tests.filter(({ outcome }) => outcome === "passed").length;
