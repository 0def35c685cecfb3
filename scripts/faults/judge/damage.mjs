// A command in a repository in which something was wrong before it began, or went wrong in the middle: an object that is lost or damaged, a
// session document that cannot be read, a clock with whole seconds. It does all that it promises, or says no and changes nothing; and in
// either case nothing that could be read before is lost.
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { victims } from "../damage.mjs";
import { blobId, differences, takeFingerprint } from "../fingerprint.mjs";
import { notOneOf } from "../held.mjs";
import { runTraced } from "../killpoint.mjs";
import { readObjects } from "../objects.mjs";
import { INTENT_TO_ADD, leftovers, readStore } from "../oracle.mjs";
import { run } from "../process.mjs";
import { quote } from "../faults.mjs";
import { commandLines, commandUnderTest, parseDocument, said, waymark } from "../waymark.mjs";
import { wrongArchive } from "./export.mjs";
import { wreckFiles } from "../wreck.mjs";
import { add, scattered } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */
/** @typedef {import("../fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../fingerprint.mjs").Place} Place */
/** @typedef {import("../objects.mjs").Objects} Objects */
/** @typedef {import("../process.mjs").Result} Result */
/**
 * @typedef {object} Sight
 * @property {Objects} objects
 * @property {Map<string, { cp?: string, trash?: string }>} store
 * @property {Set<string>} onDisk
 * @property {Fingerprint} state
 * @property {string} head the commit, also where git cannot read it; "" before the first one
 */

/** @param {Context} context @param {Sight} sight the repository before the command @returns {Promise<Verdict>} */
export async function judgeDamage(context, sight) {
  const { from, harmed, findings, command } = context;
  const { place } = from.subject;
  const { file } = from.store ?? {};
  const old = file !== undefined && existsSync(file) ? readFileSync(file) : undefined;
  const { result, fired, what, oid } = harmed
    ? { ...(await runHarmed(context, harmed)), fired: 1, ...harmed }
    : await harmMidway(context);
  /** @type {Verdict} */
  const verdict = { fired, call: what, exit: result.code, settled: "either", findings };
  if (result.timedOut) return { ...verdict, findings: [{ column: "broken", detail: "hangs" }] };
  add(findings, "broken", badManners(command, result));

  const first = { ...sight, objects: without(sight.objects, oid) };
  const now = await look(place);
  const works = reportsSuccess(command, result);
  add(findings, "lost", lostCheckpoints(context, first, now));
  add(findings, "lost", lostStaged(first, now));
  if (works) await judgeSuccess(context, result, first, now, oid ?? "");
  else await judgeRefusal(context, result, first, now);
  if (!works && file !== undefined && old !== undefined && command === "export") {
    if (!existsSync(file)) add(findings, "lost", ["the file that was there"]);
    else if (!readFileSync(file).equals(old))
      add(findings, "half", await wrongArchive(context, file));
  }
  await judgeNext(context);
  return verdict;
}

/** @param {Context} context @param {import("../damage.mjs").Harmed} harmed */
async function runHarmed({ from, command }, { env = {} }) {
  const { project, env: usual } = from.subject.place;
  const [program = "", ...args] = commandUnderTest(command, from);
  const { input } = from;
  const where = { cwd: project, env: { ...usual, ...env }, ...(input !== undefined && { input }) };
  return { result: await run(program, args, where) };
}

const DAMAGE = fileURLToPath(new URL("../damage-object.mjs", import.meta.url));

/** @param {Context} context */
async function harmMidway({ slot, from, fault, at, command, tools }) {
  const { place } = from.subject;
  // Without its commit git shows no branch, and nothing could be compared.
  const all = (await victims(place)).filter(({ what }) => !what.startsWith("commit of HEAD"));
  const victim = all[scattered(at) % all.length];
  if (!victim || !fault.midway) throw new Error("there is nothing to damage");
  const line = [process.execPath, DAMAGE, JSON.stringify(place), fault.midway, victim.oid]
    .map(quote)
    .join(" ");
  const traced = await runTraced(
    tools.killpoint,
    { root: slot.root, inject: { ...fault.inject, at, command: line } },
    commandUnderTest(command, from),
    { cwd: place.project, env: place.env, ...(from.input !== undefined && { input: from.input }) },
  );
  return { result: traced, fired: traced.fired, ...victim };
}

/** @param {Objects} objects @param {string | undefined} oid @returns {Objects} */
function without(objects, oid) {
  if (oid === undefined) return objects;
  const read = new Map([...objects.read].filter(([id]) => id !== oid));
  return {
    ...objects,
    read,
    missing: (id) => [...objects.closure(id)].filter((one) => !read.has(one)),
  };
}

/** @param {Place} place @returns {Promise<Sight>} */
export async function look(place) {
  const options = { cwd: place.project, env: place.env };
  return {
    objects: await readObjects(place),
    store: await readStore(place),
    onDisk: blobsOnDisk(place),
    state: await takeFingerprint(place),
    head: (await run("git", ["rev-parse", "-q", "--verify", "HEAD"], options)).stdout
      .toString()
      .trim(),
  };
}

/** The content of every file of the project and of the program's own folders, those that were moved aside too. @param {Place} place */
export function blobsOnDisk(place) {
  /** @type {Set<string>} */ const ids = new Set();
  /** @param {Buffer} folder */
  const visit = (folder) => {
    for (const entry of readdirSync(folder, { withFileTypes: true, encoding: "buffer" })) {
      const path = Buffer.concat([folder, Buffer.from("/"), entry.name]);
      if (entry.isDirectory() && entry.name.toString() !== "objects") visit(path);
      else if (entry.isFile()) ids.add(blobId(readFileSync(path)));
    }
  };
  for (const folder of new Set([place.project, place.gitDir, place.commonDir]))
    visit(Buffer.from(folder));
  return ids;
}

/** @param {Context["command"]} command @param {Result} result */
const reportsSuccess = (command, { code, stdout, stderr }) =>
  command === "hook" ? stdout.length === 0 && stderr.trim() === "" : code === 0;

/** @param {Context["command"]} command @param {Result} result @returns {string[]} */
function badManners(command, result) {
  const text = `${result.stdout.toString()}\n${result.stderr}`;
  const trace = /^\s+at .*:\d+:\d+\)?$/m.exec(text);
  if (trace) return [`a stack trace: ${said(result)}`];
  if (command === "hook" || result.code === 0) return [];
  const { error } = parseDocument(result.stdout) ?? {};
  return error?.code && error.message ? [] : [`an error without a code: ${said(result)}`];
}

/** Those that were whole are whole, where they were or where they were to go. @param {Context} context @param {Sight} first @param {Sight} now @returns {string[]} */
function lostCheckpoints({ from }, first, now) {
  /** @type {string[]} */ const lost = [];
  for (const [id, { cp, trash }] of first.store) {
    const oid = cp ?? trash ?? "";
    if (from.store?.moves.get(id)?.to === "gone" || first.objects.missing(oid).length > 0) continue;
    const found = now.store.get(id)?.cp ?? now.store.get(id)?.trash;
    if (found === undefined) lost.push(`the checkpoint ${id}`);
    else if (now.objects.missing(found).length > 0)
      lost.push(`${now.objects.missing(found).length} objects of the checkpoint ${id}`);
  }
  return lost;
}

/** What was staged and could be read can be read. @param {Sight} first @param {Sight} now @returns {string[]} */
const lostStaged = (first, now) =>
  stagedIds(first.state)
    .filter((id) => first.objects.read.has(id) && !now.objects.read.has(id))
    .map((id) => `the staged content ${id}`);

/** @param {Fingerprint} state */
const stagedIds = (state) =>
  [...state.index.values()]
    .map((entry) => entry.split(" "))
    .filter(([mode, , flags = "0"]) => mode !== "160000" && !(parseInt(flags, 16) & INTENT_TO_ADD))
    .map(([, id = ""]) => id);

// ---------------------------------------------------------------------------------------------- it said no

/** @param {Context} context @param {Result} result @param {Sight} first @param {Sight} now */
async function judgeRefusal(context, result, first, now) {
  const { from, before, findings, command } = context;
  if (command === "recover") {
    // It began in the middle of a rollback. What is not back yet is where the rollback had moved it.
    add(findings, "lost", lostFiles(from.before, now, { aside: true }));
  } else {
    // The index may be refreshed: that is no change of the user's.
    const changed = differences(before, now.state);
    add(
      findings,
      "half",
      changed.map((one) => `refused (${said(result)}), and ${one}`),
    );
    for (const [id, { cp, trash }] of first.store)
      if (now.store.get(id)?.cp !== cp || now.store.get(id)?.trash !== trash)
        add(findings, "half", [`refused (${said(result)}), and ${id} is elsewhere`]);
    for (const id of now.store.keys())
      if (!first.store.has(id) && !/pre-rollback/.test(id) && !couldBeAnAgents(command))
        add(findings, "half", [`refused (${said(result)}), and made ${id}`]);
  }
  // What is lost in the middle is reason enough to stop.
  const reason = context.fault.midway ? undefined : mustWork(context, first);
  if (reason !== undefined)
    add(findings, "broken", [`refused although ${reason}: ${said(result)}`]);
}

/** A hook that has something to say may have taken its checkpoint all the same. @param {Context["command"]} command */
const couldBeAnAgents = (command) => command === "hook";

/**
 * Why there is nothing in the way of the command; undefined where it may refuse.
 * @param {Context} context @param {Sight} sight @returns {string | undefined}
 */
function mustWork({ from, fault, command }, { objects, store, onDisk, state, head }) {
  const isWhole = (/** @type {string} */ oid) => objects.missing(oid).length === 0;
  const canRestore = (/** @type {string} */ oid) =>
    isWhole(oid) && objects.parents(oid).every((parent) => objects.read.has(parent));
  const all = [...store.values()].map(({ cp, trash }) => cp ?? trash ?? "");
  const present =
    (head === "" || objects.read.has(head)) &&
    stagedIds(state).every((id) => objects.read.has(id) || onDisk.has(id));
  const target = store.get(from.checkpointId)?.cp ?? "";
  switch (command) {
    case "create":
    case "hook":
      return present ? "everything that it needs is on the disk" : undefined;
    case "rollback":
      return present && canRestore(target) ? "the checkpoint is whole" : undefined;
    case "rebuild":
      return objects.missing(target).every((id) => onDisk.has(id))
        ? "all pieces are there"
        : undefined;
    case "undo":
    case "redo":
      if (fault.name === "session-damaged") return undefined;
      return present &&
        all.every((oid) => objects.missing(oid).every((id) => onDisk.has(id))) &&
        all.every((oid) => objects.parents(oid).every((parent) => objects.read.has(parent)))
        ? "all pieces are there"
        : undefined;
    case "recover":
    case "only-session":
      if (fault.name === "session-damaged") return undefined;
      return present && all.every(canRestore) ? "every checkpoint is whole" : undefined;
    case "cleanup":
    case "delete":
    case "purge":
    case "grace":
      // Only the document says what undo needs, and that is not to be deleted.
      if (fault.name === "session-damaged") return undefined;
      return all.every(canRestore) ? "every checkpoint is whole" : undefined;
    case "export":
      // The session is a part of it.
      if (fault.name === "session-damaged") return undefined;
      return present &&
        all.every(canRestore) &&
        fault.midway === undefined &&
        !isHarmedHistory(objects, all)
        ? "every checkpoint is whole"
        : undefined;
    default:
      return all.every(canRestore) ? "every checkpoint is whole" : undefined;
  }
}

/** An export takes the commits along. @param {Objects} objects @param {readonly string[]} checkpoints */
function isHarmedHistory(objects, checkpoints) {
  /** @type {Set<string>} */ const seen = new Set();
  const open = [...checkpoints];
  for (let oid = open.pop(); oid !== undefined; oid = open.pop()) {
    if (seen.has(oid)) continue;
    seen.add(oid);
    if (objects.missing(oid).length > 0) return true;
    open.push(...objects.parents(oid));
  }
  return false;
}

/**
 * Files of a state that are neither where they were nor in a checkpoint that plain git can read.
 * @param {Fingerprint} state @param {Sight} now @param {{ aside?: boolean, unheld?: boolean }} [options] @returns {string[]}
 */
function lostFiles(
  state,
  { state: found, objects, store, onDisk },
  { aside = false, unheld = false } = {},
) {
  /** @type {Set<string>} */ const held = new Set();
  for (const { cp, trash } of store.values())
    for (const id of objects.closure(cp ?? trash ?? "")) if (objects.read.has(id)) held.add(id);
  return [...state.files]
    .filter(([path, { kind, id }]) => kind !== "folder" && found.files.get(path)?.id !== id)
    .filter(([, { id }]) => !held.has(id) && !(aside && onDisk.has(id)))
    .filter(([, { id }]) => !(unheld && objects.read.has(id)))
    .map(([path]) => `the bytes of ${JSON.stringify(path)}`);
}

// ---------------------------------------------------------------------------------------------- it said that it did it

/** @param {Context} context @param {Result} result @param {Sight} first @param {Sight} now @param {string} oid */
async function judgeSuccess(context, result, first, now, oid) {
  const { from, before, findings, command } = context;
  switch (command) {
    case "create":
    case "hook":
      return judgeCreated(context, first, now, oid);
    case "only-session": {
      // Whose work a file is may not be known without the checkpoint: then it stays, and the report says so.
      const target = leaving(context, now, parseDocument(result.stdout) ?? {});
      const moved = { ...context, from: { ...from, target } };
      return judgeMoved(moved, now, [commandLines.undo(), commandLines.redo()]);
    }
    case "rollback":
      return judgeMoved(context, now, [commandLines.undo(), commandLines.redo()]);
    case "undo":
      return judgeMoved(context, now, [commandLines.redo(), commandLines.undo()]);
    case "redo":
      return judgeMoved(context, now, [commandLines.undo(), commandLines.redo()]);
    case "recover": {
      const isBack = differences(from.before, now.state).length === 0;
      const isDone = differences(from.target, now.state).length === 0;
      if (!isBack && !isDone) add(findings, "exit0", differences(from.before, now.state));
      return;
    }
    default:
      add(findings, "half", differences(before, now.state));
      return judgeStored(context, result, first, now);
  }
}

/**
 * The target, but for files that the report says may stay.
 * @param {Context} context @param {Sight} now @param {{ kept?: { path: string, reason: string }[], warnings?: string[] }} report
 * @returns {Fingerprint}
 */
function leaving({ from, before }, now, { kept = [], warnings = [] }) {
  const isWarned = warnings.some((text) => /^checkpoint \S+ is damaged: .* may stay/.test(text));
  const named = kept.filter(({ reason }) => DOUBTS.includes(reason)).map(({ path }) => path);
  const files = new Map(from.target.files);
  for (const path of isWarned ? before.files.keys() : named) {
    const was = before.files.get(path);
    if (was !== undefined && now.state.files.get(path)?.id === was.id) files.set(path, was);
  }
  return { ...from.target, files };
}

const DOUBTS = ["step_lost", "not_told_apart"];

/** @param {Context} context @param {Sight} first @param {Sight} now @param {string} oid what is damaged */
async function judgeCreated({ from, before, fault, findings }, first, now, oid) {
  const { subject, kept } = from;
  const { place } = subject;
  // The harm was done to files of objects: it is what was there after it that stays.
  const harmed = { ...before, objects: (fault.midway ? now : first).state.objects };
  add(findings, "half", differences(harmed, now.state, { strict: true }));
  const [id] = [...now.store.keys()].filter((one) => !first.store.has(one));
  if (id === undefined) return add(findings, "exit0", ["there is no checkpoint"]);
  // What was staged and could not be read before cannot be read from a checkpoint either.
  const gone = new Set(
    stagedIds(before).filter((one) => !first.objects.read.has(one) && !first.onDisk.has(one)),
  );
  if (!first.objects.read.has(first.head)) {
    gone.add(first.head);
    if (now.objects.parents(now.store.get(id)?.cp ?? "")[0] !== first.head)
      add(findings, "exit0", ["HEAD's commit cannot be read, and the checkpoint is of no commit"]);
  }
  // It may have been looked at before it was lost.
  if (fault.midway) gone.add(oid);
  const missing = now.objects.missing(now.store.get(id)?.cp ?? "").filter((one) => !gone.has(one));
  add(
    findings,
    "exit0",
    missing.map((one) => `the checkpoint lacks ${one}`),
  );
  if (gone.size === 0)
    add(
      findings,
      "exit0",
      await notOneOf(place, `refs/waymark/cp/${id}`, [before], kept).catch(failing),
    );

  // And it can be gone back to, and undone.
  wreckFiles(
    place.project,
    [...before.files.keys()].filter((path) => !kept(path)),
    "wreck",
  );
  const wrecked = await takeFingerprint(place);
  const back = await waymark(subject, commandLines.rollback(id));
  const then = await takeFingerprint(place);
  if (back.code !== 0) {
    // With a staged blob that nobody has any more the index cannot be made again.
    if (gone.size === 0) add(findings, "exit0", [`cannot be rolled back to: ${said(back)}`]);
    return add(findings, "half", differences(wrecked, then));
  }
  add(
    findings,
    "exit0",
    differences(before, then).map((one) => `rolled back to it: ${one}`),
  );
  const undone = await waymark(subject, commandLines.undo());
  if (undone.code !== 0) add(findings, "broken", [`then undo: ${said(undone)}`]);
  add(
    findings,
    "lost",
    differences(wrecked, await takeFingerprint(place)).map((one) => `then undo: ${one}`),
  );
}

/** @param {unknown} error */
const failing = (error) => [String(error)];

/**
 * A rollback of any kind: what it promises is there, and the way back leads back to all of it.
 * @param {Context} context @param {Sight} now @param {readonly (readonly string[])[]} ways
 */
async function judgeMoved(context, now, ways) {
  const { from, before, fault, findings } = context;
  const { subject, target } = from;
  let sight = now;
  add(findings, "exit0", differences(target, now.state));
  const [back = [], forth = []] = ways;
  for (const [args, wanted] of /** @type {const} */ ([
    [back, before],
    [forth, now.state],
  ])) {
    const way = await waymark(subject, args);
    const found = await look(subject.place);
    if (way.code !== 0) {
      // What was whole when it was checked and was damaged after that may be in the way; every byte is there all the same.
      const isExcused =
        fault.midway !== undefined &&
        mustWork({ ...context, command: "undo" }, sight) === undefined;
      if (!isExcused) add(findings, "broken", [`then ${args[0]}: ${said(way)}`]);
      add(findings, "half", differences(sight.state, found.state));
      return add(
        findings,
        "lost",
        lostFiles(before, found, { aside: isExcused, unheld: isExcused }),
      );
    }
    sight = found;
    add(
      findings,
      "lost",
      differences(wanted, found.state).map((one) => `then ${args[0]}: ${one}`),
    );
  }
}

/** @param {Context} context @param {Result} result @param {Sight} first @param {Sight} now */
async function judgeStored(context, result, first, now) {
  const { from, findings, command } = context;
  const says = (/** @type {string} */ id) =>
    `${result.stdout.toString()}${result.stderr}`.includes(id);
  const isUnlisted = [...first.store.values()].some(
    ({ cp }) => cp !== undefined && !first.objects.read.has(cp),
  );
  for (const [id, { oid, to }] of from.store?.moves ?? []) {
    const where = now.store.get(id);
    // What cannot be read has no place in the trash.
    const isGone = where === undefined && (to === "gone" || first.objects.missing(oid).length > 0);
    const isThere = to !== "gone" && where?.[to] !== undefined;
    // One that cannot be read does not count among those that are kept, so that another one stays.
    const stays =
      isUnlisted && (command === "cleanup" || command === "purge") && where !== undefined;
    if (!isGone && !isThere && !stays) add(findings, "exit0", [`${id} is not where it was to go`]);
    if (command === "import" && now.objects.missing(oid).length > 0)
      add(findings, "exit0", [`${id} was imported and is not whole`]);
  }
  const { file } = from.store ?? {};
  if (command === "export" && file !== undefined)
    add(findings, "exit0", await wrongArchive(context, file, says));
  // What it found whole may have been damaged after that.
  if (command !== "rebuild" || context.fault.midway) return;
  const wanted = first.store.get(from.checkpointId)?.cp ?? "";
  const isAllThere = first.objects.missing(wanted).every((id) => first.onDisk.has(id));
  const oid = now.store.get(from.checkpointId)?.cp ?? "";
  add(
    findings,
    "exit0",
    now.objects.missing(oid).map((id) => `the rebuilt checkpoint lacks ${id}`),
  );
  const back = await waymark(from.subject, commandLines.rollback(from.checkpointId));
  if (back.code !== 0) add(findings, "exit0", [`the rebuilt checkpoint: ${said(back)}`]);
  // What nobody has any more, such as the names of empty folders, is named and does not come back.
  else if (isAllThere)
    add(
      findings,
      "exit0",
      differences(from.rebuilt ?? from.target, await takeFingerprint(from.subject.place)),
    );
}

// ---------------------------------------------------------------------------------------------- and then

/** The next commands work, as far as they can. @param {Context} context */
async function judgeNext(context) {
  const { from, findings } = context;
  const { subject } = from;
  const listed = await waymark(subject, ["list", "--json"]);
  if (listed.code !== 0) add(findings, "broken", [`then list: ${said(listed)}`]);
  const sight = await look(subject.place);
  const reason = mustWork({ ...context, command: "create" }, sight);
  const created = await waymark(subject, ["create", "--force", "-m", "next", "--json"]);
  if (created.code !== 0 && reason !== undefined)
    add(findings, "broken", [`then create, although ${reason}: ${said(created)}`]);
  add(
    findings,
    "half",
    differences(sight.state, await takeFingerprint(subject.place)).map(
      (one) => `then create: ${one}`,
    ),
  );
  const left = leftovers(subject.place);
  add(findings, "locks", left.locks);
  add(findings, "litter", left.litter);
}
