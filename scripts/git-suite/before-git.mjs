// What happens before a git command of the test suite: `node before-git.mjs STATE PID ARGS…`, from the wrapper that run.mjs writes. A checkpoint, or a
// checkpoint, a wreck and the way back; in either case nothing of the user's may be different afterwards. What it finds goes to STATE/log.
import {
  appendFileSync,
  existsSync,
  readFileSync,
  readlinkSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join, resolve, sep } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { differences, takeFingerprint } from "../faults/fingerprint.mjs";
import { cleanEnvironment, run } from "../faults/process.mjs";
import { commandLines, said, waymark } from "../faults/waymark.mjs";
import { wreckFiles } from "../faults/wreck.mjs";

/** @typedef {{ mode: "create" | "wreck", every: number, bin: string, realGit: string, trash: string }} Settings */
/** @typedef {import("../faults/waymark.mjs").Subject} Subject */
/** @typedef {"create" | "changed" | "rollback" | "undo" | "redo" | "unseen"} What */

/** A clone on the same disk shares them with the repository by hard links, so that their count of links changes. */
const OBJECTS_OF_A_CLONE = /^stat ".*\.git\/objects\//;

const [, , state = "", pid = "", ...args] = process.argv;
/** @type {Settings} */
const settings = JSON.parse(readFileSync(join(state, "settings.json"), "utf8"));
const place = await repositoryHere();
if (place) await one(place);

/** @param {What} what @param {string} [wrong] */
function log(what, wrong) {
  const line = { what, ...(wrong !== undefined && { wrong, cwd: process.cwd(), args }) };
  appendFileSync(join(state, "log"), `${JSON.stringify(line)}\n`);
}

/** The work tree that the command is run in, if it is one of the test's. */
async function repositoryHere() {
  let cwd = process.cwd();
  for (let at = 0; args[at] === "-C" && args[at + 1] !== undefined; at += 2)
    cwd = resolve(cwd, args[at + 1] ?? "");
  let folder = cwd;
  while (!existsSync(join(folder, ".git"))) {
    if (!isOfTest(dirname(folder))) return undefined;
    folder = dirname(folder);
  }
  const env = {
    ...cleanEnvironment(join(state, "home")),
    PATH: `${dirname(settings.realGit)}:${process.env["PATH"] ?? ""}`,
    GIT_CEILING_DIRECTORIES: settings.trash,
    // The test's own settings count for Waymark's git, too; its home is the project, which must not get our files.
    GIT_CONFIG_GLOBAL: join(process.env["HOME"] ?? state, ".gitconfig"),
    GIT_OPTIONAL_LOCKS: "0",
  };
  const wanted = ["--path-format=absolute", "--show-toplevel", "--git-dir", "--git-common-dir"];
  const { code, stdout } = await run("git", ["rev-parse", ...wanted], { cwd, env });
  const [project = "", gitDir = "", commonDir = ""] = stdout.toString().split("\n");
  return code === 0 && isOfTest(project) ? { project, gitDir, commonDir, env } : undefined;
}

/** @param {string} folder */
function isOfTest(folder) {
  return folder.startsWith(settings.trash + sep);
}

/** @param {import("../faults/fingerprint.mjs").Place} place */
async function one(place) {
  const unlock = await lock();
  try {
    const subject = { bin: settings.bin, place };
    if (settings.mode === "create") return await createOnly(subject);
    if (count() % settings.every === 0 && isAlone()) await thereAndBack(subject);
  } finally {
    unlock();
  }
}

/** @param {Subject} subject */
async function createOnly(subject) {
  const before = await look(subject);
  const created = await waymark(subject, ["create", "--force", "-m", "before git", "--json"]);
  log("create", created.code === 0 ? undefined : said(created));
  const after = await look(subject);
  if (before === undefined || after === undefined) return log("unseen");
  const [first] = differences(before, after, { strict: true }).filter(
    (difference) => !OBJECTS_OF_A_CLONE.test(difference),
  );
  log("changed", first);
}

/** @param {Subject} subject */
async function thereAndBack(subject) {
  const before = await look(subject);
  if (before === undefined) return log("unseen");
  const created = await waymark(subject, ["create", "--force", "-m", "before git", "--json"]);
  log("create", created.code === 0 ? undefined : said(created));
  if (created.code !== 0) return;
  await wreck(subject);
  const wrecked = await look(subject);
  /** @param {"rollback" | "undo" | "redo"} what @param {readonly string[]} line @param {typeof before | undefined} wanted */
  const step = async (what, line, wanted) => {
    const result = await waymark(subject, line);
    const found = result.code === 0 ? await look(subject) : undefined;
    const [first] = wanted && found ? differences(wanted, found) : ["cannot be looked at"];
    log(what, result.code === 0 ? first : said(result));
    return result.code === 0;
  };
  const isBack =
    (await step("rollback", commandLines.rollback(created.document.checkpoint.id), before)) &&
    (await step("undo", commandLines.undo(), wrecked)) &&
    (await step("redo", commandLines.redo(), before));
  // Otherwise the rollback before a later git command would take this one back first, and that would look like a second fault.
  if (!isBack) await waymark(subject, ["recover", "--json"]);
}

/** Files that git ignores stay as they are in a rollback, so they are left alone. @param {Subject} subject */
async function wreck({ place }) {
  const options = { cwd: place.project, env: place.env };
  const list = ["ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const { stdout } = await run("git", list, options);
  const listed = [...new Set(stdout.toString("latin1").split("\0"))];
  // The project is the home of the tests, and without its settings there is no git.
  const kept = new Set(["", ".gitconfig", ...openFiles(place.project)]);
  const paths = listed.filter((path) => !kept.has(path));
  const name = "waymark-wreck";
  const ignored = await run("git", ["check-ignore", "-q", `${name}/new.txt`], options);
  wreckFiles(place.project, paths, ignored.code === 0 ? undefined : name);
  const [first] = paths;
  if (first !== undefined)
    await run("git", ["update-index", "--force-remove", "--", first], options);
}

/**
 * What a shell has opened for the output of this command, or of one that it pipes to, would be written to nowhere once another file has its
 * name. @param {string} project
 */
function openFiles(project) {
  /** @type {string[]} */ const found = [];
  const names = (/** @type {string} */ folder) => {
    try {
      return readdirSync(folder);
    } catch {
      return []; // a process that has ended, or is another user's
    }
  };
  for (const process of names("/proc").filter((name) => /^\d+$/.test(name)))
    for (const fd of names(`/proc/${process}/fd`)) {
      try {
        const path = readlinkSync(`/proc/${process}/fd/${fd}`, "latin1");
        if (path.startsWith(`${project}/`)) found.push(path.slice(project.length + 1));
      } catch {
        continue;
      }
    }
  return found;
}

/** Undefined where git itself cannot read the repository, as some tests want it. @param {Subject} subject */
function look({ place }) {
  return takeFingerprint(place).catch(() => undefined);
}

/** Commands of a pipe come at the same time. One that died, as some do with `ulimit -n 32`, leaves a link to a process that is gone. */
async function lock() {
  const link = join(state, "lock");
  for (let tries = 0; tries < 6000; tries++) {
    try {
      symlinkSync(String(process.pid), link);
      return () => rmSync(link, { force: true });
    } catch {
      if (isGone(link)) rmSync(link, { force: true });
      else await sleep(20);
    }
  }
  throw new Error("another command holds the lock for two minutes");
}

/** @param {string} link */
function isGone(link) {
  try {
    return !isAlive(Number(readlinkSync(link)));
  } catch {
    return false; // unlocked by now
  }
}

/** @param {number} other */
function isAlive(other) {
  try {
    return process.kill(other, 0);
  } catch {
    return false;
  }
}

/** How many commands there were, with this one. */
function count() {
  const file = join(state, "count");
  const number = 1 + (existsSync(file) ? Number(readFileSync(file, "utf8")) : 0);
  writeFileSync(file, String(number));
  return number;
}

/** Whether no other git command of the test is at work: what that one reads must not be wrecked. */
function isAlone() {
  for (const name of readdirSync(join(state, "active"))) {
    if (name === pid) continue;
    if (isAlive(Number(name))) return false;
    rmSync(join(state, "active", name), { force: true });
  }
  return !["GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"].some((name) => name in process.env);
}
