// What the last run of a proof script found: one JSON file per script in docs/proof/, which docs/reliability.md is made from.
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describeMachine } from "./machine.mjs";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const FOLDER = join(ROOT, "docs/proof");

/**
 * One line of a table: what was tried, how often, and how often it went wrong.
 * @typedef {object} Figure
 * @property {string} id short and stable, e.g. "create kill": docs/reliability.md finds the line by it; "all" counts the others
 * @property {string} what in words
 * @property {number} tried
 * @property {number} wrong must be 0, unless `baseline`
 * @property {string} [detail] other figures, in words
 * @property {boolean} [baseline] another tool, for comparison
 * @property {string} [commit] of the run that it is from, where the file may hold figures of several runs; so the next three
 * @property {string} [date]
 * @property {string} [machine]
 * @property {number} [seconds] that this one took
 */

/**
 * @typedef {object} Figures
 * @property {string} name of the script: "faults", "soak", "scale" …
 * @property {string} command that repeats the run, as a user types it
 * @property {number} seconds
 * @property {readonly Figure[]} figures
 * @property {string} [note] what this run left out, in words
 */

/** @typedef {Figures & { schema_version: 1, kind: "proof", date: string, commit: string, machine: string }} Recorded */

/** Pages and figures of runs before this one are no change to what is run. */
function commitOfNow() {
  const commit = git("rev-parse", "--short=10", "HEAD");
  const changed = git("status", "--porcelain", "--untracked-files=no", "--", ".", ":!docs");
  return changed === "" ? commit : `${commit}-dirty`;
}

/** When this file is loaded a run begins: what it was made from, and how busy the machine was before it. */
const BEGUN = {
  date: new Date().toISOString().slice(0, 10),
  commit: commitOfNow(),
  machine: describeMachine(tmpdir()),
};

/** For a file that is written a part at a time: the figure says itself which run it is from. @param {Figure} figure @param {number} seconds @returns {Figure} */
export const ofThisRun = (figure, seconds) => ({ ...figure, ...BEGUN, seconds });

/**
 * The figures that a script wrote before, each with the run that it is from: they keep it when others are written beside them.
 * @param {string} name of the script @returns {readonly Figure[]}
 */
export function earlierFigures(name) {
  const earlier = readFigures().find((one) => one.name === name);
  if (earlier === undefined) return [];
  const { commit, date, machine } = earlier;
  return earlier.figures.map((figure) => ({
    ...figure,
    ...runOf(figure, { commit, date, machine }),
  }));
}

/** @typedef {{ commit: string, date: string, machine: string }} Run */

/** A figure that does not say it is from the run of its file. @param {Figure} figure @param {Run} ofFile @returns {Run} */
export const runOf = (figure, ofFile) => ({
  commit: figure.commit ?? ofFile.commit,
  date: figure.date ?? ofFile.date,
  machine: figure.machine ?? ofFile.machine,
});

/**
 * The command that repeats this run, as a user types it; with a seed that was drawn, so that it does the same again.
 * @param {string} script as npm knows it @param {string | number} [seed]
 */
export function commandLine(script, seed) {
  const words = process.argv.slice(2).filter((word, at, all) => !isOwnFile(word, all[at - 1]));
  const isDrawn = seed !== undefined && !words.some((word) => /^--seed(=|$)/.test(word));
  const all = isDrawn ? [...words, "--seed", String(seed)] : words;
  const quoted = all.map((word) => (/^[\w./,=-]+$/.test(word) ? word : `'${word}'`));
  return [`npm run ${script}`, ...(quoted.length > 0 ? ["--", ...quoted] : [])].join(" ");
}

const OWN_FILES = new Set(["--json", "--with"]);

/** Where somebody keeps the results for himself says nothing to others. @param {string} word @param {string | undefined} before */
const isOwnFile = (word, before) =>
  OWN_FILES.has(word) || (before !== undefined && OWN_FILES.has(before));

/**
 * Only for `--write`: a run that somebody makes to look at it leaves the page alone.
 * @param {Figures} figures
 */
export function writeFigures(figures) {
  mkdirSync(FOLDER, { recursive: true });
  /** @type {Recorded} */
  const recorded = {
    schema_version: 1,
    kind: "proof",
    ...figures,
    ...BEGUN,
  };
  writeFileSync(join(FOLDER, `${figures.name}.json`), `${JSON.stringify(recorded, null, 2)}\n`);
}

/** Of all scripts that were run. @returns {Recorded[]} */
export function readFigures() {
  if (!existsSync(FOLDER)) return [];
  return readdirSync(FOLDER)
    .filter((name) => name.endsWith(".json"))
    .sort()
    .map((name) => JSON.parse(readFileSync(join(FOLDER, name), "utf8")));
}

/** The line that ends every proof script. @param {readonly Figure[]} figures */
export function verdict(figures) {
  const ours = figures.filter(({ baseline }) => baseline !== true);
  const tried = ours.reduce((sum, figure) => sum + figure.tried, 0);
  const wrong = ours.reduce((sum, figure) => sum + figure.wrong, 0);
  return {
    tried,
    wrong,
    line:
      tried > 0 && wrong === 0
        ? `ok: ${tried} tried, 0 wrong`
        : `FAILED: ${wrong} of ${tried} wrong`,
  };
}

/** @param {string[]} args */
function git(...args) {
  return execFileSync("git", args, { cwd: ROOT, encoding: "utf8" }).trim();
}
