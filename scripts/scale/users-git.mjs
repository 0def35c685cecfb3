// The user's own git in repositories without and with very many checkpoints and sessions, interleaved.
import { appendFileSync, cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { measure } from "../bench/measure.mjs";
import { buildRepository } from "../bench/repository.mjs";
import { median } from "../bench/statistics.mjs";
import { seedCheckpoints, seedSessions } from "./seed.mjs";

/** @typedef {import("../bench/process.mjs").Tools} Tools */
/** @typedef {import("../bench/measure.mjs").Case} Case */

const SMALL = 200;
/** Times that a command is run for one figure, with one start of a shell around them. */
const TIMES = 10;

/** What the user's git does before each checkpoint, as arguments. */
const BEFORE_EACH = {
  "HEAD constant": undefined,
  "a commit before each": ["commit", "-q", "-m", "step", "--", "CHANGES"],
  "an amend before each": ["commit", "-q", "--amend", "-m", "step", "--", "CHANGES"],
};

/**
 * A repository that is measured, and that without checkpoints which it is compared with: of the same history.
 * @typedef {object} Size
 * @property {keyof typeof BEFORE_EACH} history
 * @property {number} checkpoints 0: another repository without any, which shows how exact the figures are
 * @property {number} [sessions]
 */

/**
 * Processor time of one command.
 * @typedef {object} UserRow
 * @property {string} command
 * @property {number} withoutMs where there is no checkpoint and HEAD is constant
 * @property {readonly number[]} ratios to the repository of the same history without checkpoints, in the order of the sizes
 */

/**
 * @param {Tools} tools @param {string} folder
 * @param {readonly Size[]} sizes @param {number} rounds
 * @param {(text: string) => void} say
 * @returns {UserRow[]}
 */
export function measureUsersGit(tools, folder, sizes, rounds, say) {
  /** @param {string} name @param {Size} size @param {number} steps */
  const build = (name, size, steps) => {
    say(`the user's git: ${size.checkpoints} checkpoints, ${size.history}`);
    return buildPlace(tools, join(folder, name), size, steps);
  };
  const compared = sizes.map((size, at) => ({
    size,
    place: build(`with-${at}`, size, size.checkpoints),
  }));
  /** @type {Map<string, string>} */ const without = new Map();
  for (const { history, checkpoints } of sizes) {
    if (without.has(history)) continue;
    const name = `without-${without.size}`;
    without.set(history, build(name, { history, checkpoints: 0 }, checkpoints));
  }
  const places = [...without.values(), ...compared.map(({ place }) => place)];
  const times = measure(
    // The same command in all of them at once: so they have the same load.
    [
      ...COMMANDS.flatMap((command) => places.map((place) => commandIn(tools, place, command))),
      ...places.map((place) => gcIn(tools, place)),
    ],
    rounds,
    {
      onRound: (round) => say(`the user's git: round ${round}`),
      onDropped: (name, why) => say(`${name}: left out, ${why}`),
    },
  );
  return [...COMMANDS.map(({ title }) => title), GC].map((command) => {
    /** @param {string} place */
    const cpuOf = (place) => (times.get(key(command, place)) ?? []).map(({ cpuMs }) => cpuMs);
    const first = cpuOf(places[0] ?? "");
    return {
      command,
      withoutMs: median(first) / (command === GC ? 1 : TIMES),
      ratios: compared.map(({ size, place }) => {
        const other = cpuOf(without.get(size.history) ?? "");
        // Of each round by itself: load changes from one to the next.
        return median(cpuOf(place).map((ms, round) => ms / (other[round] ?? NaN)));
      }),
    };
  });
}

/** @param {Tools} tools @param {string} place @param {Size} size @param {number} steps how often the user commits, where this is done */
function buildPlace(tools, place, { history, checkpoints, sessions = 0 }, steps) {
  const repository = buildRepository(tools, place, SMALL);
  const remote = `${place}-remote.git`;
  tools.git(place, "clone", "-q", "--bare", place, remote);
  tools.git(place, "remote", "add", "origin", remote);
  tools.git(place, "fetch", "-q", "origin");
  const before = BEFORE_EACH[history];
  const path = repository.modified[0] ?? "";
  if (before === undefined) {
    if (checkpoints === 0) return place;
    tools.waymark(place, "create");
    seedCheckpoints(tools, place, path, checkpoints - 1);
  } else {
    // What is amended is not published: `git push` would refuse.
    tools.git(place, "commit", "-q", "--allow-empty", "-m", "work", "--", "CHANGES");
    for (let step = 1; step <= steps; step++) {
      writeFileSync(join(place, "CHANGES"), `step ${step}\n`);
      tools.git(place, ...before);
      appendFileSync(join(place, path), `step ${step}\n`);
      if (checkpoints > 0) tools.waymark(place, "create");
    }
  }
  if (sessions > 0) {
    const started = tools.waymark(place, "session", "start", "--type", "implement", "--json");
    seedSessions(tools, place, JSON.parse(started).session.id, sessions - 1);
  }
  return place;
}

/** @type {{ title: string, args: string[], edits?: boolean }[]} */
const COMMANDS = [
  { title: "`git status`", args: ["status"] },
  { title: "`git add`", args: ["add", "CHANGES"], edits: true },
  { title: "`git commit`", args: ["commit", "-q", "-m", "work", "--", "CHANGES"], edits: true },
  { title: "`git branch -a`", args: ["branch", "-a"] },
  { title: "`git log --all`", args: ["log", "--all"] },
  { title: "`git fetch`", args: ["fetch", "origin"] },
  { title: "`git push --dry-run`", args: ["push", "--dry-run", "origin", "main"] },
];
const GC = "`git gc`";

/** @param {string} title @param {string} place */
const key = (title, place) => `${title} ${place}`;

let version = 0;

/** @param {Tools} tools @param {string} place @param {typeof COMMANDS[number]} command @returns {Case} */
const commandIn = (tools, place, { title, args, edits = false }) => ({
  name: key(title, place),
  ...timedGit(tools, place, args, TIMES, edits),
});

/**
 * Timed by bash, which counts in milliseconds: node learns hundredths of a second from the kernel.
 * @param {Tools} tools @param {string} place @param {readonly string[]} args @param {number} times @param {boolean} edits
 */
function timedGit(tools, place, args, times, edits) {
  const edit = edits ? 'echo "$1 $i" > CHANGES; ' : "";
  const loop = `for ((i = 0; i < ${times}; i++)); do ${edit}git "\${@:2}" &>/dev/null || exit 1; done`;
  const script = `TIMEFORMAT="%U %S"; { time { ${loop}; }; } 2>&1`;
  return {
    run: () => tools.run("bash", ["-c", script, "-", `${version++}`, ...args], { cwd: place }),
    /** @param {string} output */
    timed: (output) => {
      const [user = NaN, system = NaN] = output.trim().split(" ").map(Number);
      return { ms: NaN, cpuMs: (user + system) * 1000 };
    },
  };
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
    ...timedGit(tools, place, [`--git-dir=${copy}`, "gc", "--quiet"], 1, false),
  };
}
