// The user's own git in repositories without and with very many checkpoints and sessions, interleaved.
import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "../bench/measure.mjs";
import { buildRepository } from "../bench/repository.mjs";
import { summary } from "../bench/statistics.mjs";
import { seedCheckpoints, seedSessions } from "./seed.mjs";

/** @typedef {import("../bench/process.mjs").Tools} Tools */
/** @typedef {import("../bench/measure.mjs").Case} Case */

const SMALL = 200;
/** Times that a command is run for one figure: the kernel counts in hundredths of a second, and most of these take less. */
const TIMES = 10;

/**
 * Processor time of one command.
 * @typedef {object} UserRow
 * @property {string} command
 * @property {boolean} everyday it must not get slower; git reads all refs or objects for the others
 * @property {number} withoutMs where there is no checkpoint
 * @property {readonly number[]} withMs in the order of the sizes
 */

/**
 * @param {Tools} tools @param {string} folder
 * @param {readonly { checkpoints: number, sessions: number }[]} sizes @param {number} rounds
 * @param {(text: string) => void} say
 * @returns {UserRow[]}
 */
export function measureUsersGit(tools, folder, sizes, rounds, say) {
  const places = [{ checkpoints: 0, sessions: 0 }, ...sizes].map((size) => {
    const place = join(folder, `with-${size.checkpoints}`);
    buildPlace(tools, place, size);
    return place;
  });
  const [without = ""] = places;
  const cases = places.flatMap((place) => commandsIn(tools, place));
  const times = measure(cases, rounds, {
    onRound: (round) => say(`the user's git: round ${round}`),
    onDropped: (name, why) => say(`${name}: left out, ${why}`),
  });
  return [...COMMANDS, { title: GC, everyday: false }].map(({ title, everyday = false }) => {
    /** @param {string} place */
    const cpuMs = (place) => summary(times, key(title, place)).cpuMs / (title === GC ? 1 : TIMES);
    return {
      command: title,
      everyday,
      withoutMs: cpuMs(without),
      withMs: places.slice(1).map(cpuMs),
    };
  });
}

/** @param {Tools} tools @param {string} place @param {{ checkpoints: number, sessions: number }} size */
function buildPlace(tools, place, size) {
  const repository = buildRepository(tools, place, SMALL);
  const remote = `${place}-remote.git`;
  tools.git(place, "clone", "-q", "--bare", place, remote);
  tools.git(place, "remote", "add", "origin", remote);
  tools.git(place, "fetch", "-q", "origin");
  if (size.checkpoints === 0) return;
  tools.waymark(place, "create");
  seedCheckpoints(tools, place, repository.modified[0] ?? "", size.checkpoints);
  const started = tools.waymark(place, "session", "start", "--type", "implement", "--json");
  seedSessions(tools, place, JSON.parse(started).session.id, size.sessions);
}

let version = 0;

/** @type {{ title: string, args: string[], edits?: boolean, everyday?: boolean }[]} */
const COMMANDS = [
  { title: "`git status`", args: ["status"], everyday: true },
  { title: "`git add`", args: ["add", "CHANGES"], edits: true, everyday: true },
  {
    title: "`git commit`",
    args: ["commit", "-q", "-m", "work", "--", "CHANGES"],
    edits: true,
    everyday: true,
  },
  { title: "`git branch -a`", args: ["branch", "-a"], everyday: true },
  { title: "`git log -5 --decorate`", args: ["log", "-5", "--decorate"], everyday: true },
  { title: "`git log --all`", args: ["log", "--all"] },
  {
    title: "`git log --exclude='refs/waymark/*' --all`",
    args: ["log", "--exclude=refs/waymark/*", "--all"],
    everyday: true,
  },
  { title: "`git fetch`", args: ["fetch", "origin"] },
  { title: "`git push --dry-run`", args: ["push", "--dry-run", "origin", "main"] },
];
const GC = "`git gc`";

/** @param {string} title @param {string} place */
const key = (title, place) => `${title} ${place}`;

/** @param {Tools} tools @param {string} place @returns {Case[]} */
function commandsIn(tools, place) {
  const cases = COMMANDS.map(({ title, args, edits }) => ({
    name: key(title, place),
    run: () => {
      for (let time = 0; time < TIMES; time++) {
        if (edits) writeFileSync(join(place, "CHANGES"), `${version++}\n`);
        tools.git(place, ...args);
      }
      return "";
    },
  }));
  return [...cases, gcIn(tools, place)];
}

/** On a copy, so that each one is the first. @param {Tools} tools @param {string} place @returns {Case} */
function gcIn(tools, place) {
  const copy = `${place}-gc.git`;
  return {
    name: key(GC, place),
    prepare: () => {
      rmSync(copy, { recursive: true, force: true });
      cpSync(join(place, ".git"), copy, { recursive: true, preserveTimestamps: true });
    },
    run: () => tools.git(place, `--git-dir=${copy}`, "gc", "--quiet"),
  };
}
