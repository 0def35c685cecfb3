// Going back and forth: rollbacks of everything, undo, redo, guards that fail.
import { differences } from "../faults/fingerprint.mjs";
import { said } from "../faults/waymark.mjs";
import { look, waysOf } from "./memory.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {Awaited<ReturnType<Journey["waymark"]>>} Answer */

const WORDS = {
  rollback:
    "rollbacks: the project is exactly what the checkpoint holds, and what no checkpoint is about stayed",
  undo: "undos: the project is exactly what it was before the rollback",
  redo: "redos: the project is exactly what it was before the undo",
};
export const LOST =
  "rollbacks, undos, redos: everything that was there before is in place or in a checkpoint";
const REFUSED = "rollbacks that were refused or failed: everything is as it was";
const ORDER = "undos and redos: the last one of its list, and the list moves on by one";

/** @param {Journey} journey @param {Tree} tree */
export async function rollBackToOne(journey, tree) {
  const targets = await journey.targets(tree);
  if (targets.length === 0) return;
  const id = journey.random.pick(targets);
  const before = await look(tree);
  const expected = await journey.expected(tree, id, before);
  const args = ["rollback", id, "--yes", "--discard-commits", "--even-if-expired", "--json"];
  const result = await journey.waymark(tree, args);
  await judgeMove(journey, tree, "rollback", { before, expected, result });
}

/** @param {Journey} journey @param {Tree} tree @param {"undo" | "redo"} kind */
export async function step(journey, tree, kind) {
  const lists = await waysOf(tree);
  const before = await look(tree);
  const result = await journey.waymark(tree, [kind, "--yes", "--discard-commits", "--json"]);
  const { restored_to: id, session_id: session } = result.document ?? {};
  const ways = lists.get(session)?.[kind] ?? [];
  const expected = await journey.expected(tree, id, before);
  await judgeMove(journey, tree, kind, { before, expected, result });
  if (result.code === 0) {
    if (journey.partial.has(id)) journey.partial.add(result.document.undo_checkpoint_id);
    const after = (await waysOf(tree)).get(session)?.[kind] ?? [];
    journey.judge("order", ORDER, [
      ...(ways.at(-1) === id ? [] : [`${kind} went to ${id}, not to ${ways.at(-1)}`]),
      ...(after.join() === ways.slice(0, -1).join()
        ? []
        : [`the list of ${kind} did not move on by one`]),
    ]);
  } else if (result.document?.error?.code === `nothing_to_${kind}`) {
    // A rollback in one session clears what could be redone in another, and leaves its list alone.
    const isAlone = kind === "undo" || lists.size === 1;
    const left = isAlone ? [...lists.values()].flatMap((list) => list[kind]) : [];
    journey.judge(
      "order",
      ORDER,
      left.length === 0 ? [] : [`${kind} says that there is nothing to do: ${left.join()}`],
    );
  }
}

/**
 * @param {Journey} journey @param {Tree} tree @param {"rollback" | "undo" | "redo"} kind
 * @param {{ before: Fingerprint, expected: Fingerprint | undefined, result: Answer }} move
 */
export async function judgeMove(journey, tree, kind, { before, expected, result }) {
  const now = await look(tree);
  if (result.code !== 0) {
    judgeRefusal(journey, kind, { before, now, result });
    return;
  }
  const safety = result.document?.undo_checkpoint_id;
  if (typeof safety === "string") journey.remember(safety, tree, before);
  if (expected) journey.judge(kind, WORDS[kind], differences(expected, now));
  journey.judge("lost", LOST, await journey.lost(tree, before, now));
}

/** @param {Journey} journey @param {string} kind @param {{ before: Fingerprint, now: Fingerprint, result: Answer }} refusal */
export function judgeRefusal(journey, kind, { before, now, result }) {
  journey.answered(kind, result);
  journey.judge("refused", REFUSED, [
    ...differences(before, now),
    ...(result.code === 1 || result.code === 2 ? [said(result)] : []),
  ]);
}

/** A command that breaks things and fails. @param {Journey} journey @param {Tree} tree */
export async function failGuarded(journey, tree) {
  const before = await look(tree);
  const act = "echo broken > src/f1.txt; rm -rf docs; echo more > guarded.txt";
  const args = ["guard", "--json", "--verify", "false", "--", "sh", "-c", act];
  const result = await journey.waymark(tree, args);
  const id = result.document?.checkpoint_id;
  if (typeof id === "string") journey.remember(id, tree, before);
  journey.judge("guard", "guards whose check fails: exit 7, everything is as it was", [
    ...(result.code === 7 ? [] : [said(result)]),
    ...differences(before, await look(tree)),
  ]);
}
