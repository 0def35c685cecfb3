// What has to be true at the end of a run: every checkpoint whole and restorable, undo to its depth, nothing left over, nothing leaked.
import { rmSync } from "node:fs";
import { differences } from "../faults/fingerprint.mjs";
import { leftovers } from "../faults/oracle.mjs";
import { must, run } from "../faults/process.mjs";
import { runStore } from "../faults/store.mjs";
import { said } from "../faults/waymark.mjs";
import { heldFiles, look, refsOf, waysOf } from "./memory.mjs";
import { judgeRefusal } from "./roll-back.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */
/** @typedef {Awaited<ReturnType<Journey["waymark"]>>} Answer */

const SAMPLE = 12;

/** @param {Journey} journey */
export async function checkAtEnd(journey) {
  const { trees } = journey.repository;
  const [first] = trees;
  const main = /** @type {Tree} */ (first);
  for (const tree of trees) {
    const recovered = await journey.waymark(tree, ["recover", "--json"]);
    journey.judge(
      "recover",
      "the last recover of each work tree",
      recovered.code === 0 ? [] : [said(recovered)],
    );
  }
  await validateAll(journey, main);
  await compareAll(journey, main);
  for (const tree of trees) await undoAll(journey, tree);
  for (const tree of trees) await rollBackToSome(journey, tree);
  await checkRepository(journey, main);
  checkLeftovers(journey, main);
}

/** @param {Journey} journey @param {Tree} tree */
export async function validateAll(journey, tree) {
  const there = await refsOf(tree, "cp");
  const { code, document } = await journey.waymark(tree, ["validate", "--json"]);
  const damaged = (document?.checkpoints ?? []).filter(
    (/** @type {any} */ one) =>
      one.overall !== "ok" && one.overall !== true && one.overall !== "valid",
  );
  journey.judge("validate", "validate at the end: every checkpoint is whole", [
    ...(code === 0 && document?.invalid === 0
      ? []
      : [`validate ends with ${code}: ${document?.invalid} of ${there.size} are damaged`]),
    ...(document?.checkpoints?.length === there.size
      ? []
      : [`validate looked at ${document?.checkpoints?.length} of ${there.size}`]),
    ...damaged.map((/** @type {any} */ one) => JSON.stringify(one)),
  ]);
}

/** By plain git: each holds what was there when it was taken. @param {Journey} journey @param {Tree} tree */
async function compareAll(journey, tree) {
  const there = await refsOf(tree, "cp");
  for (const id of journey.memory.ids().filter((known) => there.has(known))) {
    const state = journey.memory.recall(id);
    if (state)
      journey.judge(
        "at the end",
        "live checkpoints at the end: each holds what was there when it was taken",
        await journey.missing(tree, id, state),
      );
  }
}

/** @param {Journey} journey @param {Tree} tree */
async function undoAll(journey, tree) {
  const depth = [...(await waysOf(tree)).values()].reduce((all, { undo }) => all + undo.length, 0);
  let undone = 0;
  for (;;) {
    const before = await look(tree);
    const result = await journey.waymark(tree, ["undo", "--yes", "--discard-commits", "--json"]);
    if (result.document?.error?.code === "nothing_to_undo") break;
    const id = result.document?.restored_to;
    const expected = await journey.expected(tree, id, before);
    const now = await look(tree);
    if (result.code !== 0) {
      if (isInTheWay(result)) judgeRefusal(journey, "undo at the end", { before, now, result });
      else journey.judge("undo to the end", UNDO, [said(result)]);
      return;
    }
    undone++;
    const safety = result.document?.undo_checkpoint_id;
    if (typeof safety === "string") journey.remember(safety, tree, before);
    if (expected) journey.judge("undo to the end", UNDO, differences(expected, now));
    else journey.count("undo at the end: done, to a state that nobody remembers as a whole");
  }
  journey.judge(
    "depth",
    "undo lists at the end: all of their entries can be undone",
    undone === depth ? [] : [`${undone} of ${depth} could be undone`],
  );
}

const UNDO = "undos at the end, one after the other until nothing is left: each exact";

/** @param {Journey} journey @param {Tree} tree */
async function rollBackToSome(journey, tree) {
  const ids = await journey.targets(tree);
  for (let left = Math.min(SAMPLE, ids.length); left > 0; left--) {
    const [id = ""] = ids.splice(journey.random.between(0, ids.length - 1), 1);
    const before = await look(tree);
    const expected = await journey.expected(tree, id, before);
    const args = ["rollback", id, "--yes", "--discard-commits", "--even-if-expired", "--json"];
    const result = await journey.waymark(tree, args);
    const now = await look(tree);
    if (result.code !== 0 && isInTheWay(result))
      judgeRefusal(journey, "rollback at the end", { before, now, result });
    else if (result.code !== 0) journey.judge("restore", RESTORE, [said(result)]);
    else if (expected) journey.judge("restore", RESTORE, differences(expected, now));
    else journey.count("rollback at the end: done, to a state that nobody remembers as a whole");
  }
}

const RESTORE =
  "live checkpoints that were rolled back to at the end: byte for byte what was there, index, HEAD and modes too";

/** A branch that another work tree has checked out by now: nothing that this one could do about it. @param {Answer} result */
const isInTheWay = ({ document }) => document?.error?.code === "branch_in_use";

/** @param {Journey} journey @param {Tree} tree */
export async function checkRepository(journey, tree) {
  const { project, env } = tree.seen;
  const fsck = ["fsck", "--strict", "--full", "--no-dangling", "--no-progress"];
  const checked = [
    await run("git", fsck, { cwd: project, env, timeoutMs: 600_000 }),
    await runStore(tree.seen, fsck, { timeoutMs: 600_000 }),
  ];
  journey.judge(
    "fsck",
    "git fsck --strict of repository and store at the end",
    checked
      .filter(({ code }) => code !== 0)
      .map(({ stdout, stderr }) => `${stdout.toString()}${stderr}`.slice(0, 400)),
  );
  const secrets = await secretsHeld(tree);
  journey.judge("secrets", "checkpoints at the end that hold the secret file: none", secrets);
}

/** @param {Tree} tree */
async function secretsHeld(tree) {
  /** @type {string[]} */ const found = [];
  for (const id of await refsOf(tree, "cp")) {
    if ((await heldFiles(tree, id)).has("deploy.pem")) found.push(`${id} holds deploy.pem`);
  }
  return found;
}

/** @param {Journey} journey @param {Tree} tree */
function checkLeftovers(journey, tree) {
  const { locks, litter } = leftovers(tree.seen);
  journey.judge("nothing left", "locks and litter after the last command: none", [
    ...locks,
    ...litter,
  ]);
}

/** Nothing to look at any more. @param {Journey} journey */
export async function removeRepository(journey) {
  await must("chmod", ["-R", "u+w", journey.repository.folder]);
  rmSync(journey.repository.folder, { recursive: true, force: true });
}
