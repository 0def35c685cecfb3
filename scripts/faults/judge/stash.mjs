// `git stash push -u` under the same faults, to compare with. Nothing recovers it: what is there is what it left.
import { differences, takeFingerprint } from "../fingerprint.mjs";
import { inject } from "../inject.mjs";
import { brokenRepository, leftovers } from "../oracle.mjs";
import { add, checkLost, outcomeOf } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */

/** @param {Context} context @returns {Promise<Verdict>} */
export async function judgeStash(context) {
  const { from, findings } = context;
  const { before, target } = from;
  const { place } = from.subject;
  const injected = await inject(context);
  const { result, saved } = injected;
  const verdict = outcomeOf(context, injected);
  context.slot.makeRoom?.();
  add(findings, "broken", await brokenRepository(place));
  const left = leftovers(place);
  add(findings, "locks", left.locks);
  add(findings, "litter", left.litter);
  const now = await takeFingerprint(place).catch(() => undefined);
  if (!now) return { ...verdict, settled: "neither" };
  const except = (/** @type {string} */ path) => path === saved?.path;
  const fromBefore = differences(before, now, { except });
  const fromTarget = differences({ ...target, stash: now.stash, refs: now.refs }, now, { except });
  const settled =
    fromBefore.length === 0 ? "before" : fromTarget.length === 0 ? "after" : "neither";
  if (settled === "neither")
    add(
      findings,
      result.code === 0 ? "exit0" : "half",
      fromBefore.length < fromTarget.length ? fromBefore : fromTarget,
    );
  await checkLost(context, injected, now);
  return { ...verdict, settled };
}
