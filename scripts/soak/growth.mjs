// How much there is of everything that Waymark keeps, minute by minute, right after a cleanup and a `git gc --prune=now`.
import { existsSync, readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { must } from "../faults/process.mjs";
import { hasStore, isPlain, mustStore, storeDir } from "../faults/store.mjs";
import { refsOf, sessionsOf, waysOf } from "./memory.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Repository} Repository */
/** @typedef {import("./repositories.mjs").Tree} Tree */

/**
 * @typedef {object} Sample
 * @property {number} minute
 * @property {number} checkpoints
 * @property {number} trash
 * @property {number} sessions
 * @property {number} ways undo and redo lists that hold anything
 * @property {number} longestWay entries of the longest of them
 * @property {number} longestJournal rollbacks in the longest journal of a session
 * @property {number} sessionBytes the documents of all sessions, without those lists
 * @property {number} checkpointBytes what checkpoints hold beside what the user's refs hold
 * @property {number} objectBytes of repository and store
 * @property {number} neededBytes what all refs, the stash and HEADs need of it
 * @property {number} privateFiles
 * @property {number} privateBytes in waymark/ folders, without the store and audit logs
 * @property {number} asideBytes what rollbacks of the last ten minutes moved away: as much as was rolled back
 * @property {number} asideMinutes how long the oldest of that has been there
 * @property {number} besideBytes in .checkpoints/ folders without a private repository
 */

/** @param {Repository} repository @param {number} minute @param {number} checkpointBytes @returns {Promise<Sample>} */
export async function takeSample(repository, minute, checkpointBytes) {
  const [first] = repository.trees;
  const tree = /** @type {Tree} */ (first);
  const sessions = await sessionsOf(tree);
  const ways = await Promise.all(repository.trees.map(waysOf));
  const lists = ways.flatMap((way) => [...way.values()].flatMap(({ undo, redo }) => [undo, redo]));
  const gitDirs = new Set(repository.trees.flatMap(({ seen }) => [seen.gitDir, seen.commonDir]));
  const own = [...gitDirs].map((gitDir) =>
    sizeOf(join(gitDir, "waymark"), /^(?:restore|store|audit\.log.*)$/),
  );
  const asideFolders = [...gitDirs].map((gitDir) => join(gitDir, "waymark/restore"));
  const aside = asideFolders.map((folder) => sizeOf(folder));
  const beside = repository.trees.map(({ seen }) =>
    sizeOf(join(seen.project, ".checkpoints"), /^repo\.git$/),
  );
  return {
    minute,
    checkpoints: (await refsOf(tree, "cp")).size,
    trash: (await refsOf(tree, "trash")).size,
    sessions: sessions.length,
    ways: lists.filter(({ length }) => length > 0).length,
    longestWay: Math.max(0, ...lists.map(({ length }) => length)),
    longestJournal: Math.max(0, ...sessions.map(({ history }) => history.length)),
    sessionBytes: sum(sessions.map((session) => JSON.stringify(session, withoutLists).length)),
    checkpointBytes,
    objectBytes: sum(
      [...new Set([tree.seen.commonDir, storeDir(tree.seen)])].map(
        (gitDir) => sizeOf(join(gitDir, "objects")).bytes,
      ),
    ),
    neededBytes: await neededBytes(tree),
    privateFiles: sum(own.map(({ files }) => files)),
    privateBytes: sum(own.map(({ bytes }) => bytes)),
    asideBytes: sum(aside.map(({ bytes }) => bytes)),
    asideMinutes: Math.max(0, ...asideFolders.flatMap(agesIn)),
    besideBytes: sum(beside.map(({ bytes }) => bytes)),
  };
}

/** What has an end of its own (R144) fills up to it. @param {string} key @param {unknown} value */
const withoutLists = (key, value) =>
  ["undo", "redo", "history"].includes(key) ? undefined : value;

/** @param {Tree} tree */
async function neededBytes(tree) {
  const { project, env } = tree.seen;
  const asked = ["rev-list", "--disk-usage", "--objects", "--all", "--reflog", "--indexed-objects"];
  const { stdout } = await must("git", asked, { cwd: project, env });
  return Number(stdout.toString()) + (isPlain(tree.seen) ? 0 : await neededInStore(tree));
}

/** All but what it borrows: the history of the commits that the keep refs of the project name. @param {Tree} tree */
async function neededInStore({ seen }) {
  const list = ["for-each-ref", "--format=^%(objectname)", "refs/waymark/keep/"];
  const kept = await must("git", list, { cwd: seen.project, env: seen.env });
  const borrowed = kept.stdout.toString().split("\n").filter(Boolean);
  const asked = ["rev-list", "--disk-usage", "--objects", "--all", ...borrowed];
  return hasStore(seen) ? Number((await mustStore(seen, asked)).stdout.toString()) : 0;
}

/** @param {string} folder @param {RegExp} [except] @returns {{ files: number, bytes: number }} */
function sizeOf(folder, except) {
  let files = 0;
  let bytes = 0;
  /** @param {string} path */
  const visit = (path) => {
    let entries;
    try {
      entries = readdirSync(path, { withFileTypes: true });
    } catch {
      return;
    }
    for (const entry of entries) {
      if (except?.test(entry.name) === true) continue;
      const full = join(path, entry.name);
      if (entry.isDirectory()) visit(full);
      else {
        files++;
        bytes += statSync(full, { throwIfNoEntry: false })?.size ?? 0;
      }
    }
  };
  visit(folder);
  return { files, bytes };
}

/** In minutes, of what is in a folder. @param {string} folder @returns {number[]} */
function agesIn(folder) {
  if (!existsSync(folder)) return [];
  const times = readdirSync(folder).map(
    (name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? Date.now(),
  );
  return times.map((time) => Math.floor((Date.now() - time) / 60_000));
}

/** @param {readonly number[]} numbers */
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

/** What must not grow on and on, with what is no growth worth a word. @type {Readonly<Partial<Record<keyof Sample, number>>>} */
const BOUNDED = {
  trash: 40,
  sessions: 15,
  privateFiles: 200,
  privateBytes: 500_000,
  // The audit log: four files of 5 MiB in each work tree at most.
  besideBytes: 20_000_000,
};

/** What each session has so much of: there are more of them the longer agents work. @type {Readonly<Partial<Record<keyof Sample, number>>>} */
const BOUNDED_FOR_EACH_SESSION = {
  checkpoints: 5,
  ways: 1,
  sessionBytes: 5000,
  checkpointBytes: 50_000,
};

/** A rollback's files stay aside for ten minutes, so it takes a run that long to have as many of them as it ever will. */
const ASIDE_MINUTES = 10;
/** The next checkpoint in the same work tree takes them then, and that may take a while on a busy machine. */
const LONGEST_ASIDE_MINUTES = 15;
/** How much is rolled back in ten minutes is up to chance: a few rollbacks of everything more or less. */
const ASIDE_SLACK_BYTES = 5_000_000;

/** R144: how many rollbacks can be undone in a work tree of a session, and how many its journal has. */
const MOST_UNDOS = 100;
const MOST_ROLLBACKS = 1000;

/** How many sessions there are is up to the work: retention by age, in days, does not end any of them within hours. */
const GROWTH =
  "sizes after each minute's cleanup and gc: what each session keeps, and what belongs to none, is in the last quarter what it was in the second";

/** Fewer samples say nothing about growth. */
const FEWEST_SAMPLES = 12;

/** Whether the last quarter of a run has more than the second one had. @param {Journey} journey @param {readonly Sample[]} samples */
export function judgeGrowth(journey, samples) {
  if (samples.length < FEWEST_SAMPLES) return;
  const quarter = Math.floor(samples.length / 4);
  const second = samples.slice(quarter, 2 * quarter);
  const last = samples.slice(-quarter);
  for (const [name, slack] of Object.entries(BOUNDED))
    compare(journey, /** @type {keyof Sample} */ (name), second, last, slack);
  for (const [name, slack] of Object.entries(BOUNDED_FOR_EACH_SESSION))
    compare(journey, /** @type {keyof Sample} */ (name), second, last, slack, "each session");
  const full = samples.slice(0, 2 * quarter).filter(({ minute }) => minute > ASIDE_MINUTES);
  if (full.length > 0) compare(journey, "asideBytes", full, last, ASIDE_SLACK_BYTES);
  for (const { minute, longestWay, longestJournal } of samples)
    journey.judge("growth", GROWTH, [
      ...(longestWay > MOST_UNDOS ? [`in minute ${minute} ${longestWay} can be undone`] : []),
      ...(longestJournal > MOST_ROLLBACKS
        ? [`in minute ${minute} a journal has ${longestJournal} rollbacks`]
        : []),
    ]);
  for (const { minute, objectBytes, neededBytes, asideMinutes } of last)
    journey.judge("growth", GROWTH, [
      ...(objectBytes > neededBytes * 1.25 + 500_000
        ? [
            `in minute ${minute} there are ${objectBytes} bytes of objects, and ${neededBytes} are needed`,
          ]
        : []),
      ...(asideMinutes > LONGEST_ASIDE_MINUTES
        ? [`in minute ${minute} files are aside that a rollback left ${asideMinutes} minutes ago`]
        : []),
    ]);
}

/** @param {Journey} journey @param {keyof Sample} key @param {readonly Sample[]} earlier @param {readonly Sample[]} later @param {number} slack @param {string} [of] */
function compare(journey, key, earlier, later, slack, of) {
  const share = (/** @type {Sample} */ sample) =>
    of === undefined ? sample[key] : Math.round(sample[key] / Math.max(1, sample.sessions));
  const most = (/** @type {readonly Sample[]} */ part) => Math.max(...part.map(share));
  const [then, now] = [most(earlier), most(later)];
  journey.judge(
    "growth",
    GROWTH,
    now > then * 1.5 + slack
      ? [`${key}${of === undefined ? "" : ` of ${of}`} grew from ${then} to ${now}`]
      : [],
  );
}

/** The series as a table. @param {readonly Sample[]} samples */
export function showSamples(samples) {
  const keys = /** @type {(keyof Sample)[]} */ (Object.keys(samples[0] ?? {}));
  const rows = [keys, ...samples.map((sample) => keys.map((key) => String(sample[key])))];
  const widths = keys.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows
    .map((row) => row.map((cell, column) => cell.padStart(widths[column] ?? 0)).join("  "))
    .join("\n");
}
