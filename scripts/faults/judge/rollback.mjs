// A fault during rollback (also of one session only), undo or recover: afterwards the project is exactly as before or exactly as after.
import { differences, takeFingerprint } from "../fingerprint.mjs";
import { inject } from "../inject.mjs";
import { brokenRepository, isBlocking, leftovers } from "../oracle.mjs";
import { checkOther } from "./others.mjs";
import { commandLines, parseDocument, offers, said, waymark } from "../waymark.mjs";
import { add, checkLost, checkValid, copiesOf, scattered, outcomeOf } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Finding} Finding */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */
/** @typedef {import("../fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../fixtures.mjs").Fixture} Fixture */

/** @param {Context} context @returns {Promise<Verdict>} */
export async function judgeRollback(context) {
  const { from, fault, at, findings } = context;
  const { subject } = from;
  const { place } = subject;
  const injected = await inject(context);
  const { result, saved } = injected;
  const verdict = outcomeOf(context, injected);
  if (result.timedOut)
    return { ...verdict, settled: "neither", findings: [{ column: "broken", detail: "hangs" }] };

  // A save that was set aside is one more file in the work tree; it is no deviation.
  const copies = saved ? copiesOf(place, saved) : [];
  const except = (/** @type {string} */ path) => path === saved?.path || copies.includes(path);
  // A recovery begins in the middle of a rollback that was killed, and a checkpoint of that is what its user asked for.
  await checkOther(context, injected, [from.before, from.target, context.before]);
  const settled = await settle(context, injected, except);

  const now = await takeFingerprint(place);
  await checkLost(context, injected, now);

  // What could not be removed while calls failed, or was not on the disk yet as removed when the power was cut, is the next command's.
  const mayBeLeft = fault.judgement === "failure" || fault.inject.action === "power-cut";
  let left = leftovers(place);
  add(findings, "locks", left.locks.filter(isBlocking));
  if (left.locks.length + left.litter.length > 0 && result.code === 0 && mayBeLeft) {
    await waymark(subject, commandLines.recover());
    left = leftovers(place);
  }
  add(findings, "locks", left.locks);
  add(findings, "litter", left.litter);
  add(findings, "broken", await brokenRepository(place));
  if (scattered(at) % 4 === 0 || fault.judgement === "git")
    await checkValid(subject, "broken", findings);
  return { ...verdict, settled };
}

/**
 * Brings the project to rest the way a user would, and says where it came to rest.
 * @param {Context} context @param {import("../inject.mjs").Injected} injected @param {(path: string) => boolean} except
 * @returns {Promise<Verdict["settled"]>}
 */
async function settle({ slot, from, fault, at, command, findings }, { result, did }, except) {
  const { subject } = from;
  const where = (/** @type {(path: string) => boolean} */ leaveOut) =>
    comesToRest(from, did ? fault.name : "", leaveOut);
  // Another rollback may have come first: then an undo is the undo of that one.
  const mayStay = command === "recover" || (fault.changes === true && command === "undo");
  // Once rolled back, what only the later rules ignored is an ordinary untracked file, which the same rollback again may remove.
  const again = (/** @type {string} */ path) =>
    except(path) || from.scenario.ignoredLater.includes(path);
  const right = (/** @type {string} */ state) =>
    state === "after" || state === "either" || (mayStay && state === "before");

  if (result.code === 0) {
    const { state, why } = await where(fault.changes === true ? again : except);
    slot.makeRoom?.();
    if (!right(state))
      add(findings, "exit0", state === "before" ? ["reported success, and nothing was done"] : why);
    const document = parseDocument(result.stdout);
    if (command !== "recover" && document?.kind !== "rollback")
      findings.push({
        column: "exit0",
        detail: `prints ${result.stdout.toString().slice(0, 200)}`,
      });
    return state;
  }

  if (!result.died) {
    // It could speak, so it had to take everything back. On a disk that stays full or broken that may be impossible, and a
    // recovery only has to say so; then the next one must do it.
    const { state, why } = await where(except);
    const mayBeLate =
      fault.inject.sticky === true || command === "recover" || fault.judgement === "pause";
    if (state !== "before" && state !== "either" && !mayBeLate)
      add(findings, "half", [
        `reported a failure (${said(result)}) and left ${state === "after" ? "the result" : why.join(", ")}`,
      ]);
  } else if (scattered(at) % 3 === 0) {
    await checkListChangesNothing(subject, findings);
  }

  slot.makeRoom?.();
  const { args, brings } = await nextCommand(command, at, from, result.died);
  const next = await waymark(subject, args);
  if (next.code !== 0)
    findings.push({ column: "broken", detail: `then ${args[0]}: ${said(next)}` });
  const isRepeated = args[0] === "rollback" || fault.changes === true;
  const { state, why } = await where(isRepeated ? again : except);
  if (state === "neither")
    add(
      findings,
      "half",
      why.map((difference) => `after ${args[0]}, ${difference}`),
    );
  else if (brings === "after" && state === "before")
    findings.push({ column: "half", detail: `after ${args[0]}: still as before` });
  return state;
}

/**
 * @param {Fixture} from @param {string} done the fault, if it did something @param {(path: string) => boolean} except
 * @returns {Promise<{ state: Verdict["settled"], why: string[] }>}
 */
async function comesToRest({ subject, before, target }, done, except) {
  // What the user's stash or rebase makes of a project in between is neither, and fine as long as nothing is lost.
  if (done === "git-stash" || done === "git-rebase") return { state: "either", why: [] };
  const options =
    done === "git-commit" ? { except, only: /** @type {const} */ ("files") } : { except };
  /** @type {Fingerprint} */ let now;
  try {
    now = await takeFingerprint(subject.place);
  } catch (error) {
    return { state: "neither", why: [String(error)] };
  }
  const fromBefore = differences(before, now, options);
  if (fromBefore.length === 0) return { state: "before", why: [] };
  const fromTarget = differences(target, now, options);
  if (fromTarget.length === 0) return { state: "after", why: [] };
  const [nearer, name] =
    fromBefore.length < fromTarget.length ? [fromBefore, "before"] : [fromTarget, "after"];
  return { state: "neither", why: nearer.map((difference) => `${name}: ${difference}`) };
}

/**
 * Recovery is done by any mutating command; most cases look at it alone, the others at it together with a command that the
 * user would run next.
 * @param {import("../fixtures.mjs").Command} command @param {number} at @param {Fixture} from @param {boolean} died
 * @returns {Promise<{ args: string[], brings: "after" | "any" }>}
 */
async function nextCommand(command, at, { subject, checkpointId }, died) {
  const turn = scattered(at) % 4;
  if (died && command === "rollback" && turn === 1)
    return { args: commandLines.rollback(checkpointId), brings: "after" };
  if (died && turn === 3 && (await offers(subject, "doctor")))
    return { args: ["doctor", "--fix", "--json"], brings: "any" };
  return { args: commandLines.recover(), brings: "any" };
}

/** @param {import("../waymark.mjs").Subject} subject @param {Finding[]} findings */
async function checkListChangesNothing(subject, findings) {
  const before = await takeFingerprint(subject.place).catch(() => undefined);
  const listed = await waymark(subject, ["list", "--json"]);
  if (listed.code !== 0)
    findings.push({ column: "broken", detail: `list after the crash: ${said(listed)}` });
  if (before)
    add(
      findings,
      "half",
      differences(before, await takeFingerprint(subject.place), { strict: true }).map(
        (difference) => `list: ${difference}`,
      ),
    );
}
