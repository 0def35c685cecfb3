// Gets the real Backlog.md, which the tests of tasks use, into node_modules/.cache. It is a native program of 97 MB with one
// package for each platform, so it is no dependency: docs/decisions/0015-backlog-tasks.md says why.
//
//   node scripts/test-backlog.mjs
//
// Where it cannot be had, or cannot run, it says so; the tests that need it are skipped then.
// WAYMARK_TEST_NO_INSTALL=1: only look.

import { spawnSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const VERSION = "1.52.0";
const root = resolve(dirname(fileURLToPath(import.meta.url)), "..");
const folder = join(root, "node_modules/.cache/backlog.md", VERSION);

/** The program with which `node` starts it. */
export const backlogProgram = join(folder, "node_modules/backlog.md/cli.js");

/** Undefined when it runs; otherwise why it does not. */
export function problemWithBacklog() {
  const run = spawnSync(process.execPath, [backlogProgram, "--version"], { encoding: "utf8" });
  if (run.status === 0 && run.stdout.includes(VERSION)) return undefined;
  const said = (run.stderr ?? "").trim().split("\n").at(0) ?? "";
  return said === "" ? `it ended with ${run.status ?? run.signal}` : said;
}

function install() {
  console.error(
    `tests: getting backlog.md ${VERSION} (WAYMARK_TEST_NO_INSTALL=1 to skip its tests instead)`,
  );
  mkdirSync(folder, { recursive: true });
  const words = ["install", "--prefix", folder, "--no-save", "--no-audit", "--no-fund"];
  const options = ["--prefer-offline", "--fetch-retries=1", `backlog.md@${VERSION}`];
  // A network that does not answer must not hold up all other tests.
  spawnSync("npm", [...words, ...options], { cwd: folder, stdio: "ignore", timeout: 120_000 });
}

export function getBacklog() {
  if (problemWithBacklog() !== undefined && process.env.WAYMARK_TEST_NO_INSTALL === undefined) {
    install();
  }
  const problem = problemWithBacklog();
  if (problem !== undefined) {
    console.error(`tests: without backlog.md ${VERSION} its tests are skipped: ${problem}`);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) getBacklog();
