// The repositories that are measured: many small files, and the work of somebody who is in the middle of something.
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** @typedef {import("./process.mjs").Tools} Tools */

/**
 * @typedef {object} Repository
 * @property {string} folder
 * @property {string[]} modified 20 tracked files that differ from HEAD: 16 not staged, 2 staged, 2 both
 * @property {string[]} untracked 10
 * @property {string[]} many 2,500 other tracked files, none where there are not enough
 */

const FILES_PER_FOLDER = 10;
const FOLDERS_PER_AREA = 100;
/** 20 modified, 1 deletion staged, 4 not staged. */
const TRACKED_CHANGES = 25;
/** Lines of `git status --porcelain`: those and 10 untracked files. */
const STATUS_LINES = 35;
const COMMITS = 10;
export const FEWEST_FILES = 100;
const MANY = 2500;

/** @param {number} number */
function filePath(number) {
  const folder = Math.floor(number / FILES_PER_FOLDER);
  const area = Math.floor(folder / FOLDERS_PER_AREA);
  return `area-${area}/part-${folder}/file-${number % FILES_PER_FOLDER}.txt`;
}

/** About 500 bytes that no other file has. @param {number | string} name @param {number} version */
const content = (name, version) => `${name} version ${version}\n`.repeat(24);

let version = 0;

/** Gives files content that they never had. @param {Repository} repository @param {readonly string[]} paths */
export function change({ folder }, paths) {
  version++;
  for (const path of paths) writeFileSync(join(folder, path), content(path, version));
}

/** @param {Tools} tools @param {string} folder @param {number} files @returns {Repository} */
export function buildRepository(tools, folder, files) {
  mkdirSync(folder, { recursive: true });
  tools.git(folder, "init", "-q", "-b", "main");
  // A gc in the background would be measured with whatever runs at that moment.
  tools.git(folder, "config", "gc.auto", "0");
  tools.git(folder, "config", "maintenance.auto", "false");
  tools.run("git", ["fast-import", "--quiet", "--done"], { cwd: folder, input: history(files) });
  tools.git(folder, "-c", "checkout.workers=0", "reset", "-q", "--hard");
  const repository = leaveWork(tools, folder, files);
  writeIgnored(folder);
  settle(tools, folder);
  return repository;
}

/** A fast-import stream: all files in the first commit, small commits after it. @param {number} files */
function history(files) {
  /** @type {string[]} */ const lines = [];
  /** @param {string} text */
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`;
  for (let number = 0; number < COMMITS; number++) {
    const who = `committer Fixture <fixture@example.invalid> ${1_700_000_000 + number} +0000\n`;
    lines.push(`commit refs/heads/main\n${who}${data(`commit ${number}`)}`);
    lines.push(`M 100644 inline CHANGES\n${data(content("changes", number))}`);
    if (number > 0) continue;
    lines.push(`M 100644 inline .gitignore\n${data("node_modules/\n")}`);
    for (let file = 0; file < files; file++)
      lines.push(`M 100644 inline ${filePath(file)}\n${data(content(file, 0))}`);
  }
  lines.push("done\n");
  return Buffer.from(lines.join(""));
}

/** @param {Tools} tools @param {string} folder @param {number} files @returns {Repository} */
function leaveWork(tools, folder, files) {
  const apart = Math.floor(files / TRACKED_CHANGES);
  const chosen = Array.from({ length: TRACKED_CHANGES }, (_, place) => filePath(place * apart));
  const modified = chosen.slice(0, 20);
  const repository = {
    folder,
    modified,
    untracked: chosen.slice(0, 10).map((path) => path.replace("file-", "new-")),
    many: manyFiles(files).filter((path) => !chosen.includes(path)),
  };
  change(repository, modified);
  tools.git(folder, "add", ...modified.slice(16));
  tools.git(folder, "rm", "-q", ...chosen.slice(20, 21));
  for (const path of modified.slice(18)) appendFileSync(join(folder, path), "once more\n");
  for (const path of chosen.slice(21)) rmSync(join(folder, path));
  change(repository, repository.untracked);
  return repository;
}

/** Spread over the whole repository. @param {number} files */
function manyFiles(files) {
  const apart = Math.floor(files / MANY);
  if (apart < 2) return [];
  return Array.from({ length: MANY }, (_, place) => filePath(place * apart + 1));
}

/** @param {string} folder */
function writeIgnored(folder) {
  for (let number = 0; number < 100; number++) {
    const parent = join(folder, `node_modules/package-${number}`);
    mkdirSync(parent, { recursive: true });
    for (let file = 0; file < 10; file++)
      writeFileSync(join(parent, `file-${file}.js`), content(file, number));
  }
}

/**
 * Files as new as the index have to be read again by every `git status`: wait, and let git note their times. And what is
 * not yet on the disk is waited for by the first who asks for his own data to be there: get it out of the way.
 * @param {Tools} tools @param {string} folder
 */
function settle(tools, folder) {
  tools.run("sync", [], { cwd: folder });
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1100);
  tools.git(folder, "status", "--porcelain");
  const lines = statusLines(tools, folder);
  if (lines !== STATUS_LINES) throw new Error(`git status has ${lines} lines, not ${STATUS_LINES}`);
}

/** @param {Tools} tools @param {string} folder */
function statusLines(tools, folder) {
  return tools.git(folder, "--no-optional-locks", "status", "--porcelain").trim().split("\n")
    .length;
}

/** Whether the work is all there still. @param {Tools} tools @param {Repository} repository */
export const isIntact = (tools, { folder }) => statusLines(tools, folder) === STATUS_LINES;

/** The bytes of files as one value, to be compared. @param {Repository} repository @param {readonly string[]} paths */
export const contentOf = ({ folder }, paths) =>
  paths.map((path) => readFileSync(join(folder, path), "utf8")).join("");
