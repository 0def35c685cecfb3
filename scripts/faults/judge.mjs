// One case: put the project in place, run the command with the fault, and judge what is there afterwards.
import { takeFingerprint } from "./fingerprint.mjs";
import { fixture, restoreFixture } from "./fixtures.mjs";
import { judgeCreate } from "./judge/create.mjs";
import { judgeDamage, look } from "./judge/damage.mjs";
import { judgeExport } from "./judge/export.mjs";
import { alone } from "./judge/others.mjs";
import { judgeRollback } from "./judge/rollback.mjs";
import { judgeStash } from "./judge/stash.mjs";
import { judgeStore } from "./judge/store.mjs";
import { lostWithoutUs } from "./judge/verdict.mjs";

/** @typedef {import("./judge/verdict.mjs").Case} Case */
/** @typedef {import("./judge/verdict.mjs").Finding} Finding */
/** @typedef {import("./judge/verdict.mjs").Verdict} Verdict */

/**
 * @param {import("./slot.mjs").Slot} slot @param {Case} wanted @param {{ bin: string, killpoint: string }} tools
 * @returns {Promise<Verdict>}
 */
export async function judge(slot, wanted, tools) {
  const from = await fixture(slot, wanted.scenario, wanted.command, tools);
  const lostAnyway = await lostWithoutUs(slot, from, wanted.fault);
  const aside = await alone(slot, from, wanted.fault);
  await restoreFixture(slot, from);
  const harmed = await wanted.fault.ahead?.apply(from, wanted.at);
  const before = await takeFingerprint(from.subject.place);
  /** @type {Finding[]} */ const findings = [];
  const context = {
    slot,
    from,
    before,
    fault: wanted.fault,
    at: wanted.at,
    command: wanted.command,
    tools,
    lostAnyway,
    aside,
    harmed,
    findings,
  };
  if (harmed || wanted.fault.midway) return judgeDamage(context, await look(from.subject.place));
  if (wanted.command === "create" || wanted.command === "hook") return judgeCreate(context);
  if (wanted.command === "stash") return judgeStash(context);
  if (wanted.command === "export") return judgeExport(context);
  return from.store ? judgeStore(context) : judgeRollback(context);
}
