// Scenario x command x fault over all points: the rows of the table, worked off by as many slots as there are cores to use.
import { faultNamed, faults, OWN_DISK } from "./faults.mjs";
import { fixture, restoreFixture } from "./fixtures.mjs";
import { judge } from "./judge.mjs";
import { runTraced } from "./killpoint.mjs";
import { scenarios } from "./scenarios.mjs";
import { closeSlot, openDiskSlot, openSlot } from "./slot.mjs";
import { STORE_COMMANDS } from "./store-fixtures.mjs";
import { commandUnderTest } from "./waymark.mjs";

/** @typedef {import("./fixtures.mjs").Command} Command */
/** @typedef {import("./judge/verdict.mjs").Column} Column */

/** @type {readonly Column[]} */
export const COLUMNS = ["lost", "half", "exit0", "locks", "litter", "broken"];

/**
 * @typedef {object} Row
 * @property {string} scenario
 * @property {Command} command
 * @property {string} fault
 * @property {number} points how many there are
 * @property {number} cases how many were tried
 * @property {number} fired in how many the fault happened
 * @property {number} couldNot in how many the save, or the user's git, could not do anything
 * @property {number} before how many came to rest as before
 * @property {number} after and how many as after
 * @property {Record<Column, number>} counts cases per column
 * @property {Failure[]} failures
 */

/** @typedef {{ at: number, call: string, exit: number, findings: import("./judge/verdict.mjs").Finding[] }} Failure */

/** @typedef {{ scenario: string, command: Command, fault: string }} RowName */

const FAULTS = faults.map(({ name }) => name).filter((name) => !OWN_DISK.includes(name));
const CRASHES = ["kill", "kill-one", "torn", "interrupt"];
const DAMAGE = faults.filter(({ ahead }) => ahead).map(({ name }) => name);
const OTHER_SCENARIOS = [...CRASHES, "enospc-on", "eio", ...DAMAGE];
const STASH = [
  "kill",
  "kill-one",
  "torn",
  "enospc",
  "enospc-on",
  "eio",
  "save-over",
  "save-rename",
  "save-append",
  "save-new",
];

/** @type {Readonly<Record<string, readonly Command[]>>} */
const COMMANDS = {
  mixed: ["create", "hook", "rollback", "undo", "recover"],
  plain: [
    "create",
    "hook",
    "rollback",
    "undo",
    "redo",
    "recover",
    "rebuild",
    "only-session",
    ...STORE_COMMANDS,
  ],
  merge: ["create", "rollback", "undo", "recover"],
  detached: ["create", "rollback", "undo"],
  linked: ["create", "rollback", "undo", "cleanup", "import"],
  parts: ["create", "rollback", "undo", "recover"],
  committed: ["rollback", "undo", "redo"],
};

/**
 * The full matrix: everything on `mixed` and `plain`, crashes and full disks on the other states of a repository.
 * @returns {RowName[]}
 */
export function fullMatrix() {
  /** @type {RowName[]} */ const rows = [];
  for (const [scenario, commands] of Object.entries(COMMANDS))
    for (const command of commands)
      for (const fault of scenario === "mixed" || scenario === "plain" ? FAULTS : OTHER_SCENARIOS)
        if (appliesTo(fault, command, scenario)) rows.push({ scenario, command, fault });
  return rows;
}

/** Saves to a path that only a rollback has. */
const ON_DOOMED = ["save-doomed", "save-new-doomed"];

/** @param {string} fault @param {Command} command @param {string} scenario */
function appliesTo(fault, command, scenario) {
  const isStore = /** @type {readonly Command[]} */ (STORE_COMMANDS).includes(command);
  const { judgement } = faultNamed(fault);
  // They are rollbacks and repairs like the others, but for what they go to.
  if (command === "rebuild") return judgement === "damage";
  if (command === "redo") return ["damage", "crash", "failure"].includes(judgement);
  // Work in the middle of a rollback, or on the lines of one of two agents, is a case of its own.
  if (fault === "clock-second") return command !== "recover" && command !== "only-session";
  if (ON_DOOMED.includes(fault)) return command === "rollback" || command === "undo";
  // One more checkpoint before they have counted them is one more that goes.
  if (fault === "pause-create" && (command === "cleanup" || command === "purge")) return false;
  // These leave the files alone.
  if (fault.startsWith("save-")) return !isStore && command !== "only-session";
  // The first checkpoint of a project has none before it to go back to, and so has a project of two agents.
  if (fault === "pause-rollback")
    return !isStore && command !== "only-session" && (scenario !== "plain" || !isCreate(command));
  // What git makes of the middle of a rollback is the user's own doing; between two rollbacks it is a rollback like any other.
  if (fault.startsWith("git-")) return command !== "recover" && command !== "only-session";
  return true;
}

/** @param {Command} command */
const isCreate = (command) => command === "create" || command === "hook";

/** What `git stash push -u` does under the same faults. @returns {RowName[]} */
export const baselineMatrix = () =>
  STASH.map((fault) => ({ scenario: "plain", command: "stash", fault }));

/**
 * Both kinds of power cuts (nothing that was not synced is there, or the journal was committed just before, so that names are there
 * and what they name is not), and a disk that somebody else fills.
 * @returns {RowName[]}
 */
export const ownDiskMatrix = () => [
  .../** @type {const} */ (["create", "rollback", "undo", "stash"]).flatMap((command) =>
    OWN_DISK.map((fault) => ({ scenario: "plain", command, fault })),
  ),
  .../** @type {const} */ (["rollback", "undo"]).flatMap((command) =>
    ["mixed", "linked", "parts"].map((scenario) => ({ scenario, command, fault: "disk-fills" })),
  ),
];

/**
 * @typedef {object} Options
 * @property {string} bin
 * @property {string} killpoint
 * @property {number} [slots]
 * @property {(points: number, row: RowName) => number[]} choose which of the points to try
 * @property {boolean} [movable] of a sample: a point that does not come up may give way to an earlier one
 * @property {(row: Row) => void} [onRow]
 * @property {(text: string) => void} [onNote]
 * @property {() => import("./slot.mjs").Slot} [open] another kind of place to run cases in
 */

/**
 * @param {readonly RowName[]} names @param {Options} options
 * @returns {Promise<Row[]>}
 */
export async function runMatrix(
  names,
  { bin, killpoint, slots: count = 2, choose, movable = false, onRow, onNote, open = openSlot },
) {
  const tools = { bin, killpoint };
  const inMemory = lazily(() => Array.from({ length: count }, () => open()));
  const onDisk = lazily(() => Array.from({ length: count }, openDiskSlot));
  /** @type {Row[]} */ const rows = [];
  /** @type {Map<string, number>} */ const counted = new Map();
  try {
    for (const name of names) {
      const slots = (faultNamed(name.fault).onDisk ? onDisk : inMemory).get();
      const row = await countedRow(name, slots, tools, counted, onNote);
      const queue = choose(row.points, name);
      const isSample = movable && queue.length < row.points;
      await Promise.all(
        slots.map(async (slot) => {
          for (let at = queue.shift(); at !== undefined; at = queue.shift()) {
            let verdict = await tryCase(slot, name, at, tools, onNote);
            // A run has some calls more or less than another, so that a point near the end may not come up.
            for (let moves = isSample ? MOVES : 0; moves > 0 && isPastTheEnd(verdict); moves--) {
              at = Math.max(1, Math.floor(at * 0.9));
              verdict = await tryCase(slot, name, at, tools, onNote);
            }
            record(row, at, verdict);
          }
        }),
      );
      // A sample may have only points at which a save could not be; a whole row may not.
      const isUnlucky = row.couldNot > 0 && row.cases < row.points;
      if (row.cases > 0 && row.fired === 0 && !isUnlucky && row.failures.length === 0)
        record(row, 0, NOTHING_TRIED);
      row.failures.sort((one, other) => severity(one) - severity(other) || one.at - other.at);
      rows.push(row);
      onRow?.(row);
    }
  } finally {
    for (const pool of [inMemory, onDisk]) pool.made?.forEach(closeSlot);
  }
  return rows;
}

/** @template T @param {() => T} make @returns {{ made?: T, get: () => T }} */
function lazily(make) {
  /** @type {{ made?: T, get: () => T }} */
  const lazy = { get: () => (lazy.made ??= make()) };
  return lazy;
}

/** How often a point is moved. */
const MOVES = 3;

/** @param {import("./judge/verdict.mjs").Verdict} verdict */
const isPastTheEnd = ({ fired, couldNot = false, findings }) =>
  fired === 0 && !couldNot && findings.length === 0;

/**
 * The harness itself may fail on a state that it cannot read; that is a finding, not an end.
 * @param {import("./slot.mjs").Slot} slot @param {RowName} name @param {number} at @param {{ bin: string, killpoint: string }} tools
 * @param {((text: string) => void) | undefined} onNote
 * @returns {Promise<import("./judge/verdict.mjs").Verdict>}
 */
async function tryCase(slot, name, at, tools, onNote) {
  const scenario = scenarioNamed(name.scenario);
  try {
    return await judge(
      slot,
      { scenario, command: name.command, fault: faultNamed(name.fault), at },
      tools,
    );
  } catch (error) {
    onNote?.(`${name.scenario} ${name.command} ${name.fault} at ${at}: ${stackOf(error)}`);
    return {
      fired: 1,
      call: "",
      exit: -1,
      settled: "neither",
      findings: [{ column: "broken", detail: `cannot be judged: ${String(error)}` }],
    };
  }
}

/**
 * A row that tries nothing must not look like one that found nothing.
 * @type {import("./judge/verdict.mjs").Verdict}
 */
const NOTHING_TRIED = {
  fired: 0,
  call: "",
  exit: 0,
  settled: "neither",
  findings: [{ column: "broken", detail: "the fault never happened: nothing was tried" }],
};

/** The worst first. @param {Failure} failure */
const severity = ({ at, findings }) =>
  at === 0 ? -1 : Math.min(...findings.map(({ column }) => SEVERITY.indexOf(column)));

/** @type {readonly Column[]} */
const SEVERITY = ["lost", "exit0", "half", "broken", "locks", "litter"];

/** @param {unknown} error */
const stackOf = (error) => (error instanceof Error ? error.stack : undefined) ?? String(error);

/** @param {Row} row @param {number} at @param {import("./judge/verdict.mjs").Verdict} verdict */
function record(row, at, { fired, couldNot = false, call, exit, settled, findings }) {
  row.cases++;
  if (couldNot) row.couldNot++;
  else if (fired > 0) row.fired++;
  if (settled === "before") row.before++;
  if (settled === "after") row.after++;
  for (const column of new Set(findings.map((finding) => finding.column))) row.counts[column]++;
  if (findings.length > 0) row.failures.push({ at, call, exit, findings });
}

/**
 * Runs the command once without a fault: that counts the points.
 * @param {RowName} name @param {readonly import("./slot.mjs").Slot[]} slots @param {{ bin: string, killpoint: string }} tools
 * @param {Map<string, number>} counted @param {((text: string) => void) | undefined} onNote
 * @returns {Promise<Row>}
 */
async function countedRow(name, slots, tools, counted, onNote) {
  const row = emptyRow(name);
  const fault = faultNamed(name.fault);
  const [slot] = slots;
  if (!slot) throw new Error("no slots");
  /** @type {import("./fixtures.mjs").Fixture} */ let from;
  try {
    from = await fixture(slot, scenarioNamed(name.scenario), name.command, tools);
  } catch (error) {
    onNote?.(`${name.scenario} ${name.command}: ${stackOf(error)}`);
    record(row, 0, {
      fired: 0,
      call: "",
      exit: -1,
      settled: "neither",
      findings: [{ column: "broken", detail: `the project cannot be set up: ${String(error)}` }],
    });
    return row;
  }
  if (from.wrongClean.length > 0) {
    row.counts.exit0++;
    row.failures.push({
      at: 0,
      call: "",
      exit: 0,
      findings: from.wrongClean.map((detail) => ({
        column: "exit0",
        detail: `without a fault: ${detail}`,
      })),
    });
    from.wrongClean = ["as in the rows above"];
  }
  const key = [
    name.scenario,
    name.command,
    fault.callClass,
    fault.fsync,
    fault.inject.action === "power-cut",
    fault.ahead && name.fault,
  ].join(" ");
  let points = counted.get(key);
  if (points === undefined) {
    await restoreFixture(slot, from);
    points = fault.ahead
      ? await fault.ahead.count(from)
      : await countPoints(slot, name, from, fault, tools);
    // The power can also be cut right after the end.
    if (fault.inject.action === "power-cut") points++;
    counted.set(key, points);
  }
  if (points === 0) record(row, 0, NOTHING_TRIED);
  return { ...row, points };
}

/** @param {import("./slot.mjs").Slot} slot @param {RowName} name @param {import("./fixtures.mjs").Fixture} from @param {import("./faults.mjs").Fault} fault @param {{ killpoint: string }} tools */
async function countPoints(slot, name, from, fault, tools) {
  const { place } = from.subject;
  const watched = { root: slot.root, callClass: fault.callClass, fsync: fault.fsync };
  const command = commandUnderTest(name.command, from);
  const { points } = await runTraced(tools.killpoint, watched, command, {
    cwd: place.project,
    env: place.env,
    ...(from.input !== undefined && { input: from.input }),
  });
  return points;
}

/** @param {RowName} name @returns {Row} */
function emptyRow(name) {
  const counts = { lost: 0, half: 0, exit0: 0, locks: 0, litter: 0, broken: 0 };
  return {
    ...name,
    points: 0,
    cases: 0,
    fired: 0,
    couldNot: 0,
    before: 0,
    after: 0,
    counts,
    failures: [],
  };
}

/** @param {string} name */
function scenarioNamed(name) {
  const found = scenarios[name];
  if (!found)
    throw new Error(`no such scenario: ${name}; there are ${Object.keys(scenarios).join(", ")}`);
  return found;
}

/** @param {Row} row */
export const failed = (row) => COLUMNS.some((column) => row.counts[column] > 0);

/**
 * At most `most` points, evenly spread, the first and the last among them: for tests, which try the same ones each time.
 * @param {number} points @param {number} most
 */
export function spread(points, most) {
  if (points <= most) return Array.from({ length: points }, (_, index) => index + 1);
  const step = most > 1 ? (points - 1) / (most - 1) : 0;
  return Array.from({ length: most }, (_, index) => 1 + Math.round(index * step));
}
