// A fault during a command that moves checkpoints about: each is where it was or where it was to go, whole, and nothing of
// the user's has changed.
import { takeFingerprint } from "../fingerprint.mjs";
import { inject } from "../inject.mjs";
import { brokenRepository, leftovers, localHalves, readStore } from "../oracle.mjs";
import { KEEP } from "../store-fixtures.mjs";
import { said, waymark } from "../waymark.mjs";
import { changedBeside, checkOther } from "./others.mjs";
import { add, checkLost, checkValid, scattered, outcomeOf } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */
/** @typedef {import("../store-fixtures.mjs").Store} Store */
/** @typedef {Awaited<ReturnType<typeof readStore>>} Found */

/** @param {Context} context @returns {Promise<Verdict>} */
export async function judgeStore(context) {
  const { from, fault, at, findings } = context;
  const { subject } = from;
  const { place } = subject;
  const store = storeOf(from);
  const halves = await localHalves(place);
  const injected = await inject(context);
  const { result } = injected;
  const verdict = {
    ...outcomeOf(context, injected),
    settled: /** @type {Verdict["settled"]} */ ("neither"),
  };
  if (result.timedOut) return { ...verdict, findings: [{ column: "broken", detail: "hangs" }] };
  await checkOther(context, injected, [context.before]);
  add(findings, "half", changes(context, injected, await takeFingerprint(place)));

  const found = await readStore(place);
  add(findings, "lost", strayed(store, found));
  const done = allMoved(store, found);
  verdict.settled = done ? "after" : "before";
  if (result.code === 0 && !done)
    add(findings, "exit0", ["reported success, and not every checkpoint is where it was to go"]);
  if (context.command === "import") {
    // All or nothing: at once when it could still speak and the disk lets it, else once the next command has run.
    if (result.code !== 0 && !result.died && fault.inject.sticky !== true)
      add(findings, "half", partly(store, found));
  }

  // The next command, whichever it is, clears up.
  const turn = scattered(at) % 3;
  if (turn === 0) await next(context, ["create", "--force", "-m", "next", "--json"]);
  else if (turn === 1) await next(context, ["pin", from.checkpointId, "--json"]);
  else await again(context);
  const left = leftovers(place);
  add(findings, "locks", left.locks);
  add(findings, "litter", left.litter);
  if (context.command === "import") add(findings, "half", partly(store, await readStore(place)));

  // And the same command again does what is left to do.
  await again(context);
  const then = await readStore(place);
  add(findings, "lost", strayed(store, then));
  if (!allMoved(store, then))
    add(findings, "broken", ["the same command again: not every checkpoint is where it was to go"]);
  add(findings, "broken", await brokenRepository(place));
  add(findings, "broken", wrongHalves(store, halves, await localHalves(place)));
  add(findings, "half", changes(context, injected, await takeFingerprint(place)));

  // What is in the trash can be brought back, as it was.
  const trashed = [...store.moves].filter(([, { to }]) => to === "trash").map(([id]) => id);
  if (trashed.length > 0 && scattered(at) % 2 === 1) {
    await next(context, ["delete", "--undo", ...trashed, "--json"]);
    const back = await readStore(place);
    for (const id of trashed)
      if (back.get(id)?.cp !== store.moves.get(id)?.oid)
        add(findings, "lost", [`${id} cannot be brought back as it was`]);
  }
  if (scattered(at) % 4 === 0) await checkValid(subject, "broken", findings);
  await checkLost(context, injected, await takeFingerprint(place));
  return verdict;
}

/** @param {Context["from"]} from @returns {Store} */
export function storeOf({ store }) {
  if (!store) throw new Error("this command has no store");
  return store;
}

/**
 * Packed refs are the repository's, and what they say is compared as refs.
 * @param {Context} context @param {import("../inject.mjs").Injected} injected @param {import("../fingerprint.mjs").Fingerprint} after
 */
export const changes = (context, injected, after) =>
  changedBeside(context, injected, after).filter(
    (difference) => !difference.startsWith('repository file "packed-refs'),
  );

/** Checkpoints that are neither where they were nor where they were to go. @param {Store} store @param {Found} found */
function strayed({ moves, stays }, found) {
  /** @type {string[]} */ const lost = [];
  /** @param {string} id @param {string} oid @param {readonly string[]} places */
  const check = (id, oid, places) => {
    const { cp, trash } = found.get(id) ?? {};
    const isThere =
      (cp === oid && places.includes("cp")) || (trash === oid && places.includes("trash"));
    if (!isThere && !places.includes("gone")) lost.push(`${id} is not where it was (${places[0]})`);
    if ((cp ?? oid) !== oid || (trash ?? oid) !== oid) lost.push(`${id} is another one now`);
  };
  for (const [id, { oid, at }] of stays) check(id, oid, [at]);
  for (const [id, { oid, from, to }] of moves) check(id, oid, [from, to]);
  return lost;
}

/** @param {Store} store @param {Found} found */
const allMoved = ({ moves }, found) =>
  [...moves].every(([id, move]) => isMoved(move, found.get(id)));

/** @param {{ to: import("../store-fixtures.mjs").Whereabouts }} move @param {{ cp?: string, trash?: string } | undefined} where */
function isMoved({ to }, where) {
  if (to === "gone") return where === undefined;
  return where?.[to] !== undefined && where[to === "cp" ? "trash" : "cp"] === undefined;
}

/** @param {Store} store @param {Found} found @returns {string[]} */
function partly({ moves }, found) {
  const there = [...moves.keys()].filter((id) => found.has(id)).length;
  return there === 0 || there === moves.size ? [] : [`${there} of ${moves.size} were imported`];
}

/** They go with their checkpoint. @param {Store} store @param {Map<string, string>} before @param {Map<string, string>} now */
function wrongHalves({ moves }, before, now) {
  return [...before]
    .filter(([id, oid]) => now.get(id) !== (moves.get(id)?.to === "gone" ? undefined : oid))
    .map(([id]) => `the local half of ${id} is not what it was`);
}

/** The same once more, for whatever is left to do. @param {Context} context */
async function again(context) {
  const { moves } = storeOf(context.from);
  const found = await readStore(context.from.subject.place);
  const open = [...moves].filter(([id, move]) => !isMoved(move, found.get(id))).map(([id]) => id);
  if (context.command === "delete" || context.command === "undelete") {
    // There is nothing left to name.
    if (open.length === 0) return next(context, ["cleanup", "--older-than", "365d", "--json"]);
    await next(context, [
      "delete",
      ...(context.command === "delete" ? ["--yes"] : ["--undo"]),
      ...open,
      "--json",
    ]);
  } else
    await next(
      context,
      context.from.args.map((arg) => (arg === KEEP ? keep(context, found) : arg)),
    );
}

/** What was taken since counts too. @param {Context} context @param {Found} found */
function keep({ from }, found) {
  const { moves, stays } = storeOf(from);
  const more = [...found.keys()].filter((id) => !moves.has(id) && !stays.has(id));
  return String(Number(KEEP) + more.length);
}

/** @param {Context} context @param {readonly string[]} args */
async function next({ from: { subject }, findings }, args) {
  const result = await waymark(subject, args);
  if (result.code !== 0) add(findings, "broken", [`then ${args.join(" ")}: ${said(result)}`]);
}
