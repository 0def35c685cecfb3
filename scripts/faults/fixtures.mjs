// The starting point of a case: a project, what it looks like before the command, and what it must look like after it.
import { join } from "node:path";
import { differences, takeFingerprint } from "./fingerprint.mjs";
import { checkpointRefs } from "./oracle.mjs";
import { notOneOf } from "./held.mjs";
import { runTraced } from "./killpoint.mjs";
import { onlySessionProject } from "./only-session.mjs";
import { restore, script, startProject } from "./slot.mjs";
import { storeFixture, STORE_COMMANDS } from "./store-fixtures.mjs";
import { agentPayload, commandLines, said, waymark, waymarkCommand } from "./waymark.mjs";

/** @typedef {import("./fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("./scenarios.mjs").Scenario} Scenario */

/**
 * @typedef {object} Fixture
 * @property {Scenario} scenario
 * @property {import("./waymark.mjs").Subject} subject
 * @property {string} saved
 * @property {Fingerprint} before
 * @property {Fingerprint} target
 * @property {readonly string[]} args the command line, without the program
 * @property {string} [input] what it gets on standard input
 * @property {string} checkpointId what a rollback goes back to; "" where there is none
 * @property {Set<string>} refs the checkpoint refs that are there before the command
 * @property {(path: string) => boolean} kept ignored paths
 * @property {string[]} wrongClean what is wrong with the command even without a fault
 * @property {Map<string, Set<string>>} lostAnyway what the user's git alone loses, by fault
 * @property {Map<string, Fingerprint>} alone the project after another command of the program, by fault
 * @property {Fingerprint} [rebuilt] what a rollback to the rebuilt checkpoint brings
 * @property {boolean} [undoing] the command undoes a rollback
 * @property {() => Promise<unknown>} [prepare] what to do after the copy
 * @property {import("./store-fixtures.mjs").Store} [store] what a command that works on the store is to do
 */

/** @typedef {"create" | "hook" | "rollback" | "undo" | "redo" | "recover" | "rebuild" | "only-session" | import("./store-fixtures.mjs").StoreCommand | "stash"} Command */

/**
 * Builds it once per slot.
 * @param {import("./slot.mjs").Slot} slot @param {Scenario} scenario @param {Command} command
 * @param {{ bin: string, killpoint: string }} tools
 * @returns {Promise<Fixture>}
 */
export function fixture(slot, scenario, command, tools) {
  const name = `${scenario.name}-${command}`;
  const known = slot.fixtures.get(name);
  if (known) return /** @type {Promise<Fixture>} */ (known);
  const built = build(slot, scenario, command, tools, name);
  slot.fixtures.set(name, built);
  return built;
}

/**
 * @param {import("./slot.mjs").Slot} slot @param {Scenario} scenario @param {Command} command
 * @param {{ bin: string, killpoint: string }} tools @param {string} name
 * @returns {Promise<Fixture>}
 */
async function build(slot, scenario, command, { bin, killpoint }, name) {
  if (isStoreCommand(command)) return storeFixture(slot, scenario, command, bin, name);
  const place = await startProject(slot, scenario);
  const subject = { bin, place };
  const kept = (/** @type {string} */ path) =>
    [...scenario.kept, ...(isCreate(command) ? (scenario.held ?? []) : [])].some(
      (entry) => path === entry || path.startsWith(`${entry}/`),
    );
  /** @param {string[]} args */
  const work = async (args) => {
    const result = await waymark(subject, args);
    if (result.code !== 0)
      throw new Error(`${scenario.name}: ${args.join(" ")} without a fault: ${said(result)}`);
    return result.document;
  };
  /** @param {Pick<Fixture, "before" | "target" | "args"> & Partial<Fixture>} rest @returns {Promise<Fixture>} */
  const finish = async (rest) => {
    const refs = new Set((await checkpointRefs(place)).keys());
    return {
      scenario,
      subject,
      saved: await slot.save(name),
      checkpointId: "",
      refs,
      kept,
      wrongClean: [],
      lostAnyway: new Map(),
      alone: new Map(),
      ...rest,
    };
  };
  // What is wrong without any fault is reported once, and then taken for granted: the faults are judged by themselves.
  /** @param {Fixture} whole @returns {Promise<Fixture>} */
  const afterCleanRun = async (whole) => {
    await restore(slot, whole.saved, place.project);
    const result = await waymark(subject, whole.args, whole.input);
    const target = await takeFingerprint(place);
    const wrongClean = [...whole.wrongClean, ...differences(whole.target, target)];
    if (result.code !== 0) wrongClean.push(`${whole.args[0]}: ${said(result)}`);
    const made = isCreate(command) ? [...(await checkpointRefs(place)).keys()] : [];
    for (const ref of made.filter((name) => !whole.refs.has(name)))
      wrongClean.push(...(await notOneOf(place, ref, [whole.target], kept)));
    return { ...whole, target: result.code === 0 ? target : whole.target, wrongClean };
  };

  if (command === "only-session") {
    const { before, target, args } = await onlySessionProject(slot, subject);
    return afterCleanRun(await finish({ before, target, args }));
  }
  // An earlier checkpoint: the first one of a project sets things up, all others do not. `plain` has the first one.
  const earlier =
    isCreate(command) && scenario.name !== "plain"
      ? (await work(["create", "--force", "-m", "earlier", "--json"])).checkpoint.id
      : "";
  await script(slot, place.project, scenario.atCheckpoint);
  const dirty = await takeFingerprint(place);
  if (isCreate(command))
    return afterCleanRun(
      await finish({
        before: dirty,
        target: dirty,
        checkpointId: earlier,
        ...(command === "hook"
          ? { args: ["hook", "claude"], input: agentPayload(place, "agent", "probe", "notes.txt") }
          : { args: commandLines.create(scenario.createArgs) }),
      }),
    );
  if (command === "stash") {
    const whole = await finish({ before: dirty, target: dirty, args: [] });
    await script(slot, place.project, "git stash push -u -q");
    return { ...whole, target: await takeFingerprint(place) };
  }

  const checkpointId = (
    await work(["create", "--force", "-m", "target", "--json", ...(scenario.createArgs ?? [])])
  ).checkpoint.id;
  await script(slot, place.project, scenario.later);
  const later = await takeFingerprint(place);
  const rolledBack = expectedAfterRollback(dirty, later, kept);
  if (command === "undo") {
    await work(commandLines.rollback(checkpointId));
    return afterCleanRun(
      await finish({
        before: await takeFingerprint(place),
        target: later,
        args: commandLines.undo(),
        checkpointId,
        undoing: true,
      }),
    );
  }
  if (command === "redo") {
    await work(commandLines.rollback(checkpointId));
    await work(commandLines.undo());
    const before = await takeFingerprint(place);
    const args = commandLines.redo();
    return afterCleanRun(await finish({ before, target: rolledBack, args, checkpointId }));
  }
  if (command === "rebuild") {
    const args = ["rebuild", checkpointId, "--json"];
    return afterCleanRun(
      await finish({ before: later, target: later, rebuilt: rolledBack, args, checkpointId }),
    );
  }
  const whole = await afterCleanRun(
    await finish({
      before: later,
      target: rolledBack,
      args: commandLines.rollback(checkpointId),
      checkpointId,
    }),
  );
  if (command === "rollback") return whole;

  // recover: a rollback that was killed two thirds of the way, where it has changed some paths and not others. It is killed
  // anew for each case, because a copy has other inodes than those that the program may have written down.
  const kill = (/** @type {number} */ at) => {
    const inject = /** @type {const} */ ({ at, action: "kill" });
    return runTraced(
      killpoint,
      { root: slot.root, inject },
      waymarkCommand(subject, commandLines.rollback(checkpointId)),
      { cwd: place.project, env: place.env },
    );
  };
  const recovery = { ...whole, args: commandLines.recover(), wrongClean: [] };
  await restore(slot, whole.saved, place.project);
  const { points } = await kill(Number.MAX_SAFE_INTEGER);
  const wanted = Math.max(1, Math.round(points * 0.67));
  for (let at = wanted; at > 0; at--) {
    await restore(slot, whole.saved, place.project);
    await kill(at);
    const found = await takeFingerprint(place).catch(() => undefined);
    if (
      !found ||
      (differences(later, found).length > 0 && differences(whole.target, found).length > 0)
    )
      return { ...recovery, prepare: () => kill(at) };
  }
  return { ...recovery, prepare: () => kill(wanted) };
}

/** @param {Command} command @returns {command is import("./store-fixtures.mjs").StoreCommand} */
const isStoreCommand = (command) =>
  /** @type {readonly string[]} */ (STORE_COMMANDS).includes(command);

/** @param {Command} command */
const isCreate = (command) => command === "create" || command === "hook";

/**
 * A rollback brings the checkpoint back, except that ignored files, other branches and the stash stay as they are now.
 * @param {Fingerprint} checkpoint @param {Fingerprint} now @param {(path: string) => boolean} kept
 * @returns {Fingerprint}
 */
export function expectedAfterRollback(checkpoint, now, kept) {
  const files = new Map([...checkpoint.files].filter(([path]) => !kept(path)));
  for (const [path, entry] of now.files) if (kept(path)) files.set(path, entry);
  const refs = new Map(now.refs);
  const branch = /^ref: (.*)\n$/.exec(checkpoint.head)?.[1];
  const tip = branch === undefined ? undefined : checkpoint.refs.get(branch);
  if (branch !== undefined && tip !== undefined) refs.set(branch, tip);
  return { ...checkpoint, files, refs, stash: now.stash, exclude: now.exclude };
}

/** @param {import("./slot.mjs").Slot} slot @param {Fixture} from */
export async function restoreFixture(slot, from) {
  await restore(slot, from.saved, from.subject.place.project);
  await from.prepare?.();
}

/** @param {import("./slot.mjs").Slot} slot @param {string} name */
export const note = (slot, name) => join(slot.side, name);
