// The kinds of faults, and what each asks the tracer to do.
import { clockGrain, objectHarm, sessionHarm } from "./damage.mjs";
import { IDENTITY } from "./process.mjs";
import { commandLines } from "./waymark.mjs";

/**
 * How a case is judged:
 * crash: processes die; the next command must bring before or after.
 * failure: a call fails; the command reports it and leaves everything as before, or copes with it.
 * save: somebody saves a file at that moment; the save must survive.
 * git: the user runs git at that moment.
 * damage: something is wrong before the command begins, or from that moment on.
 * pause: everything is held at that moment, and another command of the program runs before it goes on.
 * @typedef {"crash" | "failure" | "save" | "git" | "pause" | "damage"} Judgement
 */

/**
 * @typedef {object} Fault
 * @property {string} name
 * @property {Judgement} judgement
 * @property {string} callClass which calls are points (see killpoint.c)
 * @property {boolean} fsync whether fsync is a point too
 * @property {Omit<import("./killpoint.mjs").Injection, "at" | "command">} inject
 * @property {keyof import("./scenarios.mjs").Saves} [saves] the path that a save goes to
 * @property {(context: { path: string, mark: string, side: string, disk: string }) => string} [command] what runs at the point
 * @property {(from: import("./fixtures.mjs").Fixture) => readonly string[]} [other] the command line of the program that runs at the point
 * @property {boolean} [changes] whether that one changes the project
 * @property {import("./damage.mjs").Ahead} [ahead] what is wrong before the command begins; the points are the ways in which it can be
 * @property {boolean} [onDisk] whether it needs a real disk: on one, a new file gets the inode of one that is gone
 * @property {import("./damage.mjs").Harm} [midway] what happens to an object at the point
 * @property {(context: { path: string, mark: string, side: string }) => string} [companion] what runs beside the command from its start on
 */

/** @param {string} name @param {Fault["inject"]} inject @param {Partial<Fault>} [rest] @returns {Fault} */
const fault = (name, inject, rest = {}) => ({
  name,
  judgement: "crash",
  callClass: "all",
  fsync: false,
  inject,
  ...rest,
});

/** @param {string} name @param {string} errno @param {Partial<Fault> & { sticky?: boolean }} rest */
const failing = (name, errno, { sticky = false, ...rest }) =>
  fault(name, { action: "errno", errno, sticky }, { judgement: "failure", ...rest });

/** @param {string} name @param {keyof import("./scenarios.mjs").Saves} saves @param {(path: string, mark: string) => string} how */
const saving = (name, saves, how) =>
  fault(
    name,
    { action: "run" },
    {
      judgement: "save",
      saves,
      // Only a save that succeeded counts; the copy tells the oracle which bytes it was.
      command: ({ path, mark, side }) =>
        `${how(quote(path), mark)} && cp ${quote(path)} ${quote(`${side}/saved`)}`,
    },
  );

/** What the user's commit, stash or rebase changes first; a lock of ours may keep it from changing anything. */
const STATE =
  'git rev-parse HEAD; git for-each-ref refs/heads refs/stash; ls -d "$d"/rebase-*; cksum "$d/index"';

/** The note `did` says that it did something: it ended well, or, with `changes`, what git shows is another thing than before. */
/** @param {string} name @param {string} how @param {{ changes?: boolean }} [rest] */
const usersGit = (name, how, { changes = false } = {}) =>
  fault(
    name,
    { action: "run" },
    {
      judgement: "git",
      command: ({ path, side }) =>
        [
          `cd ${quote(path)} && ${identity}`,
          `d=$(git rev-parse --git-dir)`,
          `state() { { ${STATE}; } 2> /dev/null; }`,
          `was=$(state)`,
          `( ${how} ) > ${quote(`${side}/oid`)}`,
          `test ${changes ? '"$was" != "$(state)"' : "$? = 0"} && : > ${quote(`${side}/did`)}`,
        ].join("\n"),
    },
  );

/** @param {string} name @param {NonNullable<Fault["other"]>} other @param {boolean} [changes] */
const paused = (name, other, changes = false) =>
  fault(name, { action: "pause" }, { judgement: "pause", other, changes });

/** @param {string} name @param {import("./damage.mjs").Ahead} ahead @param {Partial<Fault>} [rest] */
const ahead = (name, ahead, rest) =>
  fault(name, { action: "run" }, { judgement: "damage", ahead, ...rest });

/** @param {string} name @param {import("./damage.mjs").Harm} midway */
const midway = (name, midway) => fault(name, { action: "pause" }, { judgement: "damage", midway });

/** Most of it in one go, because writing takes long. @param {string} disk where it is mounted */
const fillDisk = (disk) =>
  `cd ${quote(disk)} && fallocate -l "$(( $(stat -f -c '%f * %S' .) - 4194304 ))" filler; cat /dev/zero > filler-2; :`;

/** @param {string} text */
export const quote = (text) => `'${text.replaceAll("'", `'\\''`)}'`;

const identity = Object.entries(IDENTITY)
  .map(([name, value]) => `export ${name}='${value}'`)
  .join("; ");

/** @type {readonly Fault[]} */
export const faults = [
  fault("kill", { action: "kill" }),
  fault("kill-one", { action: "kill-one" }),
  fault("torn", { action: "torn" }),
  fault("interrupt", { action: "signal", signal: "INT" }),
  failing("enospc", "ENOSPC", { callClass: "space" }),
  failing("enospc-on", "ENOSPC", { callClass: "space", sticky: true }),
  failing("eio", "EIO", { fsync: true }),
  failing("eio-on", "EIO", { sticky: true, fsync: true }),
  failing("eio-read", "EIO", { callClass: "read" }),
  failing("eacces", "EACCES", { callClass: "name" }),
  failing("erofs-on", "EROFS", { sticky: true }),
  failing("emfile", "EMFILE", { callClass: "open" }),
  saving("save-over", "tracked", (path, mark) => `printf '%s\\n' ${mark} > ${path}`),
  saving(
    "save-rename",
    "tracked",
    (path, mark) => `printf '%s\\n' ${mark} > ${path}.tmp~ && mv ${path}.tmp~ ${path}`,
  ),
  saving("save-append", "untracked", (path, mark) => `printf '%s\\n' ${mark} >> ${path}`),
  saving("save-doomed", "doomed", (path, mark) => `printf '%s\\n' ${mark} > ${path}`),
  saving("save-new", "fresh", (path, mark) => `printf '%s\\n' ${mark} > ${path}`),
  saving("save-new-doomed", "freshInDoomed", (path, mark) => `printf '%s\\n' ${mark} > ${path}`),
  // An editor or a logger that has had the file open since before the command.
  fault(
    "save-open",
    { action: "run" },
    {
      judgement: "save",
      saves: "untracked",
      companion: ({ path, mark, side }) =>
        `mkfifo ${quote(`${side}/go`)} ${quote(`${side}/done`)} && exec 3>>${quote(path)} && : > ${quote(`${side}/open`)} && read word < ${quote(`${side}/go`)} && ` +
        `printf '%s\\n' ${mark} >&3 && cat /proc/self/fd/3 > ${quote(`${side}/saved`)}; echo done > ${quote(`${side}/done`)}`,
      command: ({ side }) =>
        `echo go > ${quote(`${side}/go`)} && read word < ${quote(`${side}/done`)}`,
    },
  ),
  usersGit("git-gc", "git gc -q --prune=now"),
  usersGit("git-commit", "git commit -qam x && git rev-parse HEAD", { changes: true }),
  usersGit("git-stash", "git stash -q && git rev-parse refs/stash", { changes: true }),
  // Another committer date makes another commit, so the branch really moves.
  usersGit(
    "git-rebase",
    "GIT_COMMITTER_DATE=2026-02-03T04:05:06Z git rebase -q --autostash --force-rebase HEAD~1 > /dev/null && git rev-parse HEAD",
    { changes: true },
  ),
  usersGit(
    "git-worktree",
    "git worktree add -q ../beside HEAD~1 && git -C ../beside rev-parse HEAD && git worktree remove ../beside && git pack-refs --all",
  ),
  paused("pause-create", () => commandLines.create()),
  paused("pause-rollback", ({ checkpointId }) => commandLines.rollback(checkpointId), true),
  paused("pause-cleanup", ({ store }) =>
    // Where the checkpoints themselves are judged it finds nothing to remove, but it clears up all the same.
    store
      ? ["cleanup", "--older-than", "365d", "--json"]
      : ["cleanup", "--keep", "1", "--now", "--yes", "--json"],
  ),
  ahead("object-lost", objectHarm("lost")),
  ahead("object-flipped", objectHarm("flipped")),
  ahead("object-empty", objectHarm("empty")),
  midway("object-lost-midway", "lost"),
  midway("object-flipped-midway", "flipped"),
  midway("object-empty-midway", "empty"),
  ahead("session-damaged", sessionHarm),
  ahead("clock-second", clockGrain, { onDisk: true }),
  fault("power-cut", { action: "power-cut" }),
  fault("power-cut-journal", { action: "power-cut", journal: true }),
  // Somebody else fills the disk to the last block, and it stays full until the command has ended.
  fault(
    "disk-fills",
    { action: "run" },
    { judgement: "failure", command: ({ disk }) => fillDisk(disk) },
  ),
];

/** Those that need a file system of their own. */
export const OWN_DISK = ["power-cut", "power-cut-journal", "disk-fills"];

/** @param {string} name @returns {Fault} */
export function faultNamed(name) {
  const found = faults.find((candidate) => candidate.name === name);
  if (!found)
    throw new Error(
      `no such fault: ${name}; there are ${faults.map((candidate) => candidate.name).join(", ")}`,
    );
  return found;
}
