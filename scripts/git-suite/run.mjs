#!/usr/bin/env node
/**
 * `npm run test:git-suite -- DIR [options]`: git's own tests, without Waymark and with it in between. DIR is a source tree of git that was built with `make`. Nothing is written into it.
 *   --tests A,B   test files of DIR/t (default: those in DEFAULT_TESTS)
 *   --every N     the N-th git commands that get a wreck and the way back (default 7)
 *   --modes A,B   create, wreck (default: both)
 *   --bin FILE    the program (default dist/bin.cjs)
 *   --json        print the results as JSON
 *   --keep        keep the folder with the logs, and say where it is
 * The exit code is 1 when a test ends differently for no known reason, or Waymark changed or brought back something wrong.
 */
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { run } from "../faults/process.mjs";
import { quote } from "../faults/faults.mjs";
import { DEFAULT_BIN, missingProgram } from "../faults/waymark.mjs";
import { showUsage } from "../proof/usage.mjs";
import { KNOWN } from "./known-differences.mjs";
import { compareResults, parseTap, passedOf, reasonOf } from "./tap.mjs";

/** @typedef {"without" | "create" | "wreck"} Mode */
/** @typedef {{ what: string, wrong?: string, cwd?: string, args?: string[] }} Line of the log of before-git.mjs */
/** @typedef {import("./tap.mjs").Difference & { mode: Mode, reason?: string }} Differing */

/**
 * What people do with git between two checkpoints: staging, committing, resetting, stashing, switching, cleaning, rebasing, sparse
 * checkouts, linked work trees; and what could meet traces of ours: refs, reflogs, status, prune, repack.
 */
const DEFAULT_TESTS = [
  "t1091-sparse-checkout-builtin.sh",
  "t1400-update-ref.sh",
  "t1410-reflog.sh",
  "t2020-checkout-detach.sh",
  "t2200-add-update.sh",
  "t2203-add-intent.sh",
  "t2400-worktree-add.sh",
  "t3200-branch.sh",
  "t3210-pack-refs.sh",
  "t3400-rebase.sh",
  "t3501-revert-cherry-pick.sh",
  "t3507-cherry-pick-conflict.sh",
  "t3510-cherry-pick-sequence.sh",
  "t3600-rm.sh",
  "t3700-add.sh",
  "t3903-stash.sh",
  "t4200-rerere.sh",
  "t4208-log-magic-pathspec.sh",
  "t5304-prune.sh",
  "t6302-for-each-ref-filter.sh",
  "t7001-mv.sh",
  "t7102-reset.sh",
  "t7110-reset-merge.sh",
  "t7201-co.sh",
  "t7300-clean.sh",
  "t7501-commit-basic-functionality.sh",
  "t7508-status.sh",
  "t7600-merge.sh",
  "t7700-repack.sh",
];

/** A script that hangs must not hang this one. */
const TIMEOUT_MS = 4 * 3600 * 1000;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    tests: { type: "string", default: DEFAULT_TESTS.join(",") },
    every: { type: "string", default: "7" },
    modes: { type: "string", default: "create,wreck" },
    bin: { type: "string", default: DEFAULT_BIN },
    json: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", short: "h", default: false },
  },
});
if (values.help) showUsage(import.meta.url);
process.exitCode = await main();

async function main() {
  const [dir] = positionals;
  if (dir === undefined || positionals.length > 1) return stop("name one source tree of git");
  const source = realpathSync(resolve(dir));
  const realGit = join(source, "bin-wrappers/git");
  if (!existsSync(realGit)) return stop(`${realGit} is not there: build git with \`make\` first`);
  const every = Number(values.every);
  if (!Number.isInteger(every) || every < 1) return stop(`--every takes a number from 1 up`);
  const bin = resolve(values.bin);
  const missing = missingProgram(bin);
  if (missing !== undefined) return stop(missing);
  const modes = /** @type {Mode[]} */ (values.modes.split(","));
  const unknown = modes.find((mode) => mode !== "create" && mode !== "wreck");
  if (unknown !== undefined) return stop(`--modes: create or wreck, not ${unknown}`);
  const tests = values.tests.split(",");
  const absent = tests.find((test) => !existsSync(join(source, "t", test)));
  if (absent !== undefined) return stop(`${join(source, "t", absent)} is not there`);

  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-git-suite-")));
  const results = [];
  try {
    for (const test of tests)
      results.push(await tryTest(test, modes, { source, realGit, bin, every, folder }));
  } finally {
    if (values.keep) console.error(`logs: ${folder}`);
    else rmSync(folder, { recursive: true, force: true });
  }
  const bad = results.flatMap(({ differences, runs }) => [
    ...differences.filter(({ reason }) => reason === undefined),
    ...runs.flatMap(({ wrong }) => wrong),
  ]).length;
  if (values.json)
    console.log(
      JSON.stringify(
        { schema_version: 1, kind: "git_suite", every, wrong: bad, tests: results },
        null,
        2,
      ),
    );
  else console.log(bad === 0 ? "ok" : `FAILED ${bad}`);
  return bad === 0 ? 0 : 1;
}

/** @param {string} reason */
function stop(reason) {
  console.error(`git-suite: ${reason}`);
  return 2;
}

/** @typedef {{ source: string, realGit: string, bin: string, every: number, folder: string }} Setting */

/** @param {string} test @param {readonly Mode[]} modes @param {Setting} setting */
async function tryTest(test, modes, setting) {
  const without = await runTest(test, "without", setting);
  /** @type {Differing[]} */ const differences = [];
  const runs = [];
  for (const mode of modes) {
    const { results, log } = await runTest(test, mode, setting);
    for (const difference of compareResults(without.results, results)) {
      const reason = reasonOf(KNOWN, test, mode, difference);
      differences.push({ ...difference, mode, ...(reason !== undefined && { reason }) });
    }
    const wrong = log.filter((line) => line.wrong !== undefined && line.what !== "create");
    const refused = log.filter((line) => line.wrong !== undefined && line.what === "create");
    runs.push({
      mode,
      passed: passedOf(results),
      done: counts(log),
      refused: byText(refused),
      wrong,
    });
  }
  const result = {
    test,
    passed: passedOf(without.results),
    of: without.results.tests.length,
    runs,
    differences,
  };
  if (!values.json) print(result);
  return result;
}

/** How often each thing was done. @param {readonly Line[]} log */
function counts(log) {
  /** @type {Record<string, number>} */ const found = {};
  for (const { what } of log) found[what] = (found[what] ?? 0) + 1;
  return found;
}

/** Creates that said no, by what they said; ids and paths make each text another one. @param {readonly Line[]} lines */
function byText(lines) {
  /** @type {Record<string, number>} */ const found = {};
  for (const { wrong = "" } of lines) {
    const text = wrong.replaceAll(/[0-9a-f]{40,64}|cp-\S+/g, "…").slice(0, 200);
    found[text] = (found[text] ?? 0) + 1;
  }
  return found;
}

/** @param {string} test @param {Mode} mode @param {Setting} setting */
async function runTest(test, mode, { source, realGit, bin, every, folder }) {
  const state = join(folder, `${test}-${mode}`);
  const trash = join(state, "trash");
  for (const name of ["", "trash", "home", "active", "bin"]) mkdirSync(join(state, name));
  writeFileSync(join(state, "settings.json"), JSON.stringify({ mode, every, bin, realGit, trash }));
  writeWrapper(join(state, "bin"), mode, state, realGit);
  const env = {
    ...process.env,
    GIT_TEST_INSTALLED: join(state, "bin"),
    GIT_TEST_EXEC_PATH: source,
    TEST_OUTPUT_DIRECTORY: state,
  };
  const { stdout, stderr } = await run("sh", [`./${test}`, `--root=${trash}`], {
    cwd: join(source, "t"),
    env,
    timeoutMs: TIMEOUT_MS,
  });
  const text = stdout.toString();
  writeFileSync(join(state, "tap"), text);
  writeFileSync(join(state, "stderr"), stderr);
  const results = parseTap(text);
  if (mode === "without" && results.tests.length === 0)
    throw new Error(`${test} has no results: ${stderr.trim() || text.trim()}`);
  const file = join(state, "log");
  /** @type {Line[]} */
  const log = !existsSync(file)
    ? []
    : readFileSync(file, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line));
  // A step that ended by an exception is no step that found nothing.
  const errors = existsSync(join(state, "errors"))
    ? readFileSync(join(state, "errors"), "utf8")
    : "";
  if (errors.trim() !== "") log.push({ what: "harness", wrong: errors.trim().slice(0, 500) });
  if (!values.keep) rmSync(trash, { recursive: true, force: true });
  return { results, log };
}

/**
 * The folder that takes the place of git's installation: all programs of the build, and a `git` that comes before git.
 * @param {string} folder @param {Mode} mode @param {string} state @param {string} realGit
 */
function writeWrapper(folder, mode, state, realGit) {
  const wrappers = join(realGit, "..");
  for (const name of readdirSync(wrappers))
    if (name !== "git") symlinkSync(join(wrappers, name), join(folder, name));
  const step = fileURLToPath(new URL("./before-git.mjs", import.meta.url));
  const before = [
    `: > ${quote(join(state, "active"))}/$$`,
    `${[process.execPath, step, state].map(quote).join(" ")} $$ "$@" < /dev/null > /dev/null 2>> ${quote(join(state, "errors"))}`,
  ];
  const lines = ["#!/bin/sh", ...(mode === "without" ? [] : before), `exec ${quote(realGit)} "$@"`];
  writeFileSync(join(folder, "git"), `${lines.join("\n")}\n`);
  chmodSync(join(folder, "git"), 0o755);
}

/** @param {Awaited<ReturnType<typeof tryTest>>} result */
function print({ test, passed, of, runs, differences }) {
  console.log(`${test}: ${passed} of ${of} pass without Waymark`);
  for (const { mode, passed: now, done, refused, wrong } of runs) {
    const parts = Object.entries(done).map(([what, count]) => `${count} ${what}`);
    console.log(`  ${mode}: ${now} pass (${parts.join(", ") || "nothing was done"})`);
    for (const [text, count] of Object.entries(refused))
      console.log(`    ${count} creates: ${text}`);
    for (const line of wrong.slice(0, 10))
      console.log(
        `    WRONG ${line.what} before git ${(line.args ?? []).join(" ")}: ${line.wrong}`,
      );
    if (wrong.length > 10) console.log(`    … and ${wrong.length - 10} more`);
    for (const one of differences.filter((difference) => difference.mode === mode))
      console.log(
        `    ${one.reason === undefined ? "DIFFERENT" : "known"} ${one.number} ${one.title}: ${one.without}, with Waymark ${one.with}${one.reason === undefined ? "" : ` (${one.reason})`}`,
      );
  }
}
