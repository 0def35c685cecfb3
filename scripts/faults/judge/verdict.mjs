// The words of a judgement, and what all judges share.
import { blobId, takeFingerprint } from "../fingerprint.mjs";
import { restoreFixture } from "../fixtures.mjs";
import { filesHolding, lostContent, reachableObjects } from "../oracle.mjs";
import { run } from "../process.mjs";
import { said, waymark } from "../waymark.mjs";

/** @typedef {import("../fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../fixtures.mjs").Fixture} Fixture */
/** @typedef {import("../faults.mjs").Fault} Fault */

/**
 * lost: content is nowhere. half: the project is neither as before nor as after. exit0: success was reported and is not true.
 * locks, litter: left behind by us. broken: a damaged checkpoint or repository, or the next command does not work.
 * @typedef {"lost" | "half" | "exit0" | "locks" | "litter" | "broken"} Column
 * @typedef {{ column: Column, detail: string }} Finding
 */

/**
 * @typedef {object} Verdict
 * @property {number} fired
 * @property {boolean} [couldNot] the point came, and the save or the user's git could not do anything there
 * @property {string} call the call that the fault hit
 * @property {number} exit
 * @property {"before" | "after" | "neither" | "either"} settled
 * @property {Finding[]} findings
 */

/**
 * @typedef {object} Case
 * @property {import("../scenarios.mjs").Scenario} scenario
 * @property {import("../fixtures.mjs").Command} command
 * @property {Fault} fault
 * @property {number} at
 */

/**
 * @typedef {object} Context
 * @property {import("../slot.mjs").Slot} slot
 * @property {Fixture} from
 * @property {Fingerprint} before
 * @property {Fault} fault
 * @property {number} at
 * @property {import("../fixtures.mjs").Command} command
 * @property {{ bin: string, killpoint: string }} tools
 * @property {Set<string>} lostAnyway what the user's own command loses without us
 * @property {import("../damage.mjs").Harmed | undefined} harmed what was wrong before the command began
 * @property {Fingerprint | undefined} aside the project after what runs at the point, alone
 * @property {Finding[]} findings
 */

/** @param {Finding[]} findings @param {Column} column @param {readonly string[]} details */
export function add(findings, column, details) {
  const [first] = details;
  if (first !== undefined)
    findings.push({
      column,
      detail: details.length > 1 ? `${first} (and ${details.length - 1} more)` : first,
    });
}

/** @param {import("../waymark.mjs").Subject} subject @param {Column} column @param {Finding[]} findings */
export async function checkValid(subject, column, findings) {
  const validated = await waymark(subject, ["validate", "--json"]);
  if (validated.code !== 0) findings.push({ column, detail: `validate: ${said(validated)}` });
}

/**
 * What the user's git does to the project when nothing else runs: `git commit -a` stages over what was staged, `git stash` drops
 * an untracked file that is in the way of a tracked folder. That is not our loss.
 * @param {import("../slot.mjs").Slot} slot @param {Fixture} from @param {Fault} fault
 * @returns {Promise<Set<string>>}
 */
export async function lostWithoutUs(slot, from, fault) {
  if (fault.judgement !== "git" || !fault.command) return new Set();
  const known = from.lostAnyway.get(fault.name);
  if (known) return known;
  const { place } = from.subject;
  await restoreFixture(slot, from);
  await run(
    "sh",
    ["-c", fault.command({ path: place.project, mark: "", side: slot.side, disk: "" })],
    {
      env: place.env,
    },
  );
  const lost = new Set(
    lostContent(from.before, await takeFingerprint(place), await reachableObjects(place), {
      kept: from.kept,
    }),
  );
  from.lostAnyway.set(fault.name, lost);
  return lost;
}

/**
 * Everything that was there before, what somebody saved meanwhile, and what the user's git made meanwhile.
 * @param {Context} context @param {import("../inject.mjs").Injected} injected @param {Fingerprint} now
 */
export async function checkLost(
  { from, fault, lostAnyway, findings },
  { result, saved, oid },
  now,
) {
  const { place } = from.subject;
  const reachable = await reachableObjects(place);
  const except = (/** @type {string} */ path) => path === saved?.path;
  const lost = lostContent(from.before, now, reachable, { kept: from.kept, except });
  add(
    findings,
    "lost",
    lost.filter((content) => !lostAnyway.has(content)),
  );
  if (oid !== undefined && !reachable.has(oid))
    add(findings, "lost", [`the user's ${fault.name} ${oid}`]);
  if (
    !saved ||
    now.files.get(saved.path)?.id === blobId(saved.bytes) ||
    reachable.has(blobId(saved.bytes))
  )
    return;
  // It may also be set aside, but then the report has to say where.
  const copies = copiesOf(place, saved);
  // A write through a descriptor that was open all the time may come after the last look at the file; that it is kept must do.
  if (fault.companion && copies.length > 0) return;
  const report = result.stdout.toString();
  if (copies.length === 0) add(findings, "lost", [`what was saved to ${saved.path}`]);
  else if (!copies.some((path) => report.includes(JSON.stringify(path).slice(1, -1))))
    add(findings, "lost", [
      `what was saved to ${saved.path} is in ${copies.join(", ")}, which nothing names`,
    ]);
}

/** @param {import("../fingerprint.mjs").Place} place @param {{ bytes: Buffer }} saved @returns {string[]} */
export const copiesOf = (place, saved) =>
  filesHolding(place, saved.bytes).map((path) => path.slice(place.project.length + 1));

/** What happened, before anything is judged. @param {Context} context @param {import("../inject.mjs").Injected} injected */
export const outcomeOf = ({ slot, findings }, { result, did }) => ({
  fired: result.fired,
  couldNot: result.fired > 0 && !did,
  call: result.call.replaceAll(`${slot.root}/`, ""),
  exit: result.code,
  findings,
});

/**
 * A number that decides which of several checks a point gets, always the same for the same point. Taking the point itself would
 * give every case of a sample the same check.
 * @param {number} at
 */
export const scattered = (at) => Math.imul(at, 0x9e3779b1) >>> 8;
