// A fault during create, or during the hook of an agent that takes one: everything of the user's is as it was, and the checkpoint is absent or complete.
import { differences, takeFingerprint } from "../fingerprint.mjs";
import { notOneOf, wrongBesideFiles } from "../held.mjs";
import { inject } from "../inject.mjs";
import {
  brokenRepository,
  checkpointRefs,
  isBlocking,
  leftovers,
  missingFromCheckpoint,
} from "../oracle.mjs";
import { parseDocument, said, waymark } from "../waymark.mjs";
import { BUSY, changedBeside, checkOther } from "./others.mjs";
import { add, checkLost, checkValid, outcomeOf } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */
/** @typedef {import("../fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../fixtures.mjs").Fixture} Fixture */
/** @typedef {import("../faults.mjs").Fault} Fault */

/** @param {Context} context @returns {Promise<Verdict>} */
export async function judgeCreate(context) {
  const { from, before, fault, findings } = context;
  const { subject } = from;
  const { place } = subject;
  const injected = await inject(context);
  const { result } = injected;
  const verdict = {
    ...outcomeOf(context, injected),
    settled: /** @type {const} */ ("either"),
  };
  if (result.timedOut) return { ...verdict, findings: [{ column: "broken", detail: "hangs" }] };

  const after = await takeFingerprint(place);
  await checkOther(context, injected, [before, after]);
  add(findings, "half", changedBeside(context, injected, after));
  add(findings, "locks", leftovers(place).locks.filter(isBlocking));

  // What it made, by plain git: absent, or complete.
  const made = [...(await checkpointRefs(place)).keys()].filter((ref) => !from.refs.has(ref));
  const reported = context.command === "hook" ? saysNothing(result) : result.code === 0;
  for (const ref of made)
    add(
      findings,
      reported ? "exit0" : "broken",
      await wrongCheckpoint(from, ref, before, after, fault),
    );
  if (reported && !isThere(context.command, result, made))
    add(findings, "exit0", [
      `there is no checkpoint, but ${result.stdout.toString().slice(0, 200) || "silence"}`,
    ]);
  if (fault.judgement === "pause" && result.code !== 0 && result.code !== BUSY)
    add(findings, "broken", [`after the pause: ${said(result)}`]);
  await checkValid(subject, reported ? "exit0" : "broken", findings);

  // The next one works and clears up.
  context.slot.makeRoom?.();
  const next = await waymark(subject, ["create", "--force", "-m", "next", "--json"]);
  if (next.code !== 0)
    findings.push({ column: "broken", detail: `the next create: ${said(next)}` });
  const left = leftovers(place);
  add(findings, "locks", left.locks);
  add(findings, "litter", left.litter);
  add(findings, "broken", await brokenRepository(place));
  const end = await takeFingerprint(place);
  add(
    findings,
    "half",
    differences(after, end, { strict: true }).map((difference) => `the next create: ${difference}`),
  );
  await checkLost(context, injected, end);
  return verdict;
}

/** A hook never fails: it tells its agent that there is no checkpoint, or all is well. @param {import("../killpoint.mjs").TracedResult} result */
const saysNothing = ({ died, stdout, stderr }) =>
  !died && stdout.length === 0 && stderr.trim() === "";

/** @param {Context["command"]} command @param {import("../killpoint.mjs").TracedResult} result @param {readonly string[]} made */
function isThere(command, { stdout }, made) {
  if (command === "hook") return made.length > 0;
  const document = parseDocument(stdout);
  return (
    document?.kind === "checkpoint_created" &&
    made.some((ref) => ref.endsWith(`/${document.checkpoint?.id}`))
  );
}

/** @param {Fixture} from @param {string} ref @param {Fingerprint} before @param {Fingerprint} after @param {Fault} fault */
async function wrongCheckpoint({ subject: { place }, kept }, ref, before, after, fault) {
  // A save changes one path, so either state of each path will do, and nothing else changes. The user's git changes many at once:
  // then it must be one of the two states as a whole.
  if (fault.judgement === "save")
    return [
      ...(await missingFromCheckpoint(place, ref, [before, after], kept)),
      ...(await wrongBesideFiles(place, ref, before)),
    ];
  const mayBeAfter = fault.judgement === "git" || fault.judgement === "pause";
  return notOneOf(place, ref, mayBeAfter ? [before, after] : [before], kept);
}
