// A fault during create: everything of the user's is as it was, and the checkpoint is absent or complete.
import { differences, takeFingerprint } from "../fingerprint.mjs";
import { inject } from "../inject.mjs";
import {
  brokenRepository,
  checkpointRefs,
  isBlocking,
  leftovers,
  missingFromCheckpoint,
} from "../oracle.mjs";
import { parseDocument, said, waymark } from "../waymark.mjs";
import { add, checkLost, checkValid, shortCall } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("./verdict.mjs").Verdict} Verdict */
/** @typedef {import("../fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../fixtures.mjs").Fixture} Fixture */
/** @typedef {import("../faults.mjs").Fault} Fault */

/** @param {Context} context @returns {Promise<Verdict>} */
export async function judgeCreate(context) {
  const { slot, from, before, fault, findings } = context;
  const { subject } = from;
  const { place } = subject;
  const injected = await inject(context);
  const { result, saved } = injected;
  const verdict = {
    fired: result.fired,
    call: shortCall(slot, result),
    exit: result.code,
    settled: /** @type {const} */ ("either"),
    findings,
  };
  if (result.timedOut) return { ...verdict, findings: [{ column: "broken", detail: "hangs" }] };

  const after = await takeFingerprint(place);
  add(findings, "half", changedByCreate(before, after, fault, saved?.path));
  add(findings, "locks", leftovers(place).locks.filter(isBlocking));

  // What it made, by plain git: absent, or complete.
  const made = [...(await checkpointRefs(place)).keys()].filter((ref) => !from.refs.has(ref));
  for (const ref of made)
    add(
      findings,
      result.code === 0 ? "exit0" : "broken",
      await wrongCheckpoint(from, ref, before, after, fault),
    );
  if (result.code === 0) {
    const document = parseDocument(result.stdout);
    if (
      document?.kind !== "checkpoint_created" ||
      !made.some((ref) => ref.endsWith(`/${document?.checkpoint?.id}`))
    )
      findings.push({
        column: "exit0",
        detail: `reports a checkpoint that is not there: ${result.stdout.toString().slice(0, 200)}`,
      });
  }
  await checkValid(subject, result.code === 0 ? "exit0" : "broken", findings);

  // The next one works and clears up.
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

/** @param {Fingerprint} before @param {Fingerprint} after @param {Fault} fault @param {string | undefined} savedPath */
function changedByCreate(before, after, fault, savedPath) {
  if (fault.judgement === "crash" || fault.judgement === "failure")
    return differences(before, after, { strict: true });
  if (fault.judgement === "save")
    return differences(before, after, { except: (path) => path === savedPath });
  if (fault.name === "git-stash") return [];
  return differences(before, after, fault.name === "git-commit" ? { only: "files" } : {});
}

/** @param {Fixture} from @param {string} ref @param {Fingerprint} before @param {Fingerprint} after @param {Fault} fault */
async function wrongCheckpoint({ subject: { place }, kept }, ref, before, after, fault) {
  // A save changes one path, so either state of each path will do. The user's git changes many at once: then it must be one
  // of the two states as a whole.
  if (fault.judgement === "save") return missingFromCheckpoint(place, ref, [before, after], kept);
  const asBefore = await missingFromCheckpoint(place, ref, [before], kept);
  return asBefore.length > 0 &&
    fault.judgement === "git" &&
    (await missingFromCheckpoint(place, ref, [after], kept)).length === 0
    ? []
    : asBefore;
}
