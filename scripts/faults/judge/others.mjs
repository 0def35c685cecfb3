// What others do while the command under test is held: another command of the program does its work whole or not at all, and
// what the project must look like then.
import { differences, takeFingerprint } from "../fingerprint.mjs";
import { restoreFixture } from "../fixtures.mjs";
import { notOneOf } from "../held.mjs";
import { parseDocument, waymark } from "../waymark.mjs";
import { add } from "./verdict.mjs";

/** @typedef {import("./verdict.mjs").Context} Context */
/** @typedef {import("../fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {import("../inject.mjs").Injected} Injected */

/** Somebody else is at work: the one error that another command may end with. */
export const BUSY = 6;

/**
 * A checkpoint that the other command says it has made holds one of the states that the project is in without a fault, as a whole:
 * never the middle of what the command under test does.
 * @param {Context} context @param {Injected} injected @param {readonly Fingerprint[]} states
 */
export async function checkOther({ from, fault, findings }, { other }, states) {
  if (!other) return;
  if (other.code !== 0 && other.code !== BUSY)
    add(findings, "broken", [`${fault.name} meanwhile: ${describe(other)}`]);
  const document = other.code === 0 ? parseDocument(other.stdout) : undefined;
  if (document?.kind !== "checkpoint_created") return;
  const { held = [] } = from.scenario;
  const wrong = await notOneOf(
    from.subject.place,
    `refs/waymark/cp/${document.checkpoint.id}`,
    states,
    (path) => from.kept(path) || held.includes(path),
  );
  add(
    findings,
    "exit0",
    wrong.map((problem) => `${fault.name} meanwhile: ${problem}`),
  );
}

/**
 * What is not as it must be after a command that changes nothing of the user's: as before, but for what the fault itself did.
 * @param {Context} context @param {Injected} injected @param {Fingerprint} after @returns {string[]}
 */
export function changedBeside({ before, fault, aside }, { saved, other, did }, after) {
  switch (fault.judgement) {
    case "save":
      return differences(before, after, { except: (path) => path === saved?.path });
    case "git":
      if (!did || fault.name === "git-gc" || fault.name === "git-worktree")
        return differences(before, after);
      return fault.name === "git-commit" ? differences(before, after, { only: "files" }) : [];
    case "pause":
      if (fault.changes && other?.code === 0 && aside) return differences(aside, after);
      return differences(before, after, { strict: true });
    default:
      return differences(before, after, { strict: true });
  }
}

/** @param {{ code: number, stdout: Buffer }} other */
function describe({ code, stdout }) {
  const error = parseDocument(stdout)?.error;
  return `exit ${code}${error ? `: ${error.code}: ${error.message}` : ""}`;
}

/**
 * The project after the other command alone. Only what changes the project needs it.
 * @param {import("../slot.mjs").Slot} slot @param {import("../fixtures.mjs").Fixture} from @param {import("../faults.mjs").Fault} fault
 * @returns {Promise<Fingerprint | undefined>}
 */
export async function alone(slot, from, fault) {
  if (fault.judgement !== "pause" || !fault.changes || !fault.other) return undefined;
  const known = from.alone.get(fault.name);
  if (known) return known;
  await restoreFixture(slot, { ...from, prepare: async () => {} });
  await waymark(from.subject, fault.other(from));
  const found = await takeFingerprint(from.subject.place);
  from.alone.set(fault.name, found);
  return found;
}
