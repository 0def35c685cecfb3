// Commands that come to a bad end: killed, one of their children killed, interrupted, files that cannot grow. Then the next command.
import { differences } from "../faults/fingerprint.mjs";
import { leftovers } from "../faults/oracle.mjs";
import { said, waymarkCommand } from "../faults/waymark.mjs";
import { hookCall } from "./call-hooks.mjs";
import { runWithBlow } from "./crash.mjs";
import { touched } from "./journey.mjs";
import { look, refsOf, waysOf } from "./memory.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */

/** How long each command took lately that no blow hit: blows are spread over that. @type {Map<string, number>} */
const usualMs = new Map();
const FIRST_GUESS_MS = 400;

/** @param {string} name @param {number} tookMs */
function learn(name, tookMs) {
  usualMs.set(name, Math.round(((usualMs.get(name) ?? tookMs) + tookMs) / 2));
}

/**
 * @typedef {object} Victim
 * @property {string} name
 * @property {readonly string[]} command
 * @property {Record<string, string>} env
 * @property {string} [input]
 * @property {string} [target] the checkpoint that it goes to, if it changes the project
 */

/** @param {Journey} journey @param {Tree} tree @returns {Promise<Victim | undefined>} */
async function chooseVictim(journey, tree) {
  const { random } = journey;
  const { env } = tree.subject.place;
  const of = (/** @type {string[]} */ ...args) => ({
    name: args[0] ?? "",
    command: waymarkCommand(tree.subject, [...args, "--json"]),
    env,
  });
  const kind = random.weighted({
    create: 4,
    rollback: 6,
    undo: 3,
    redo: 1,
    cleanup: 2,
    export: 1,
    delete: 1,
    hook: 2,
    recover: 1,
  });
  const targets = await journey.targets(tree);
  // Of the others nobody remembers the whole state, so a success could not be told from a failure.
  const choice =
    kind === "rollback" ? targets.filter((target) => !journey.partial.has(target)) : targets;
  const id = choice.length === 0 ? undefined : random.pick(choice);
  if (kind === "create") return of("create", "--force", "-m", "to be killed");
  if (kind === "cleanup") return of("cleanup", "--keep", "5");
  if (kind === "recover") return of("recover");
  if (kind === "hook") return { name: "hook", ...hookCall(journey, tree) };
  if (kind === "undo" || kind === "redo") {
    // With several sessions it is not known here which one is meant.
    const lists = [...(await waysOf(tree)).values()]
      .map((list) => list[kind])
      .filter((list) => list.length > 0);
    const target = lists.length === 1 ? lists[0]?.at(-1) : undefined;
    if (target === undefined || journey.partial.has(target)) return undefined;
    return { ...of(kind, "--yes", "--discard-commits"), target };
  }
  if (id === undefined) return undefined;
  if (kind === "export")
    return of("export", id, "-o", `${journey.repository.folder}/killed.bundle`, "--force");
  if (kind === "delete") return of("delete", id, "--yes");
  return { ...of("rollback", id, "--yes", "--discard-commits", "--even-if-expired"), target: id };
}

/** @param {Journey} journey @param {Tree} tree */
export async function crash(journey, tree) {
  const { random } = journey;
  const victim = await chooseVictim(journey, tree);
  if (victim === undefined) return;
  const blow = random.weighted({ tree: 6, child: 3, interrupt: 3, "small-files": 1 });
  const share = random.between(2, 98);
  const before = await look(tree);
  const known = await refsOf(tree, "cp");
  const { project } = tree.subject.place;
  const afterMs = Math.round(((usualMs.get(victim.name) ?? FIRST_GUESS_MS) * share) / 100);
  const began = performance.now();
  const result = await runWithBlow(victim.command, {
    cwd: project,
    env: victim.env,
    ...(victim.input === undefined ? {} : { input: victim.input }),
    blow,
    afterMs,
  });
  if (!result.hit) learn(victim.name, performance.now() - began);
  journey.log(
    `${tree.name} ${victim.name} ${victim.target ?? ""} ${blow} after ${afterMs} ms, hit ${result.hit} -> ${result.code}`,
  );
  const problems = await settle(journey, tree, victim, before, result);
  if (result.hit)
    journey.judge(
      `crash ${victim.name} ${blow}`,
      `${victim.name}: ${BLOWS[blow]}; then the next command`,
      problems,
    );
  else journey.judge("missed", "commands that had ended before the blow: as any others", problems);
  await judgeNewOnes(journey, tree, victim, before, known);
  const left = leftovers(tree.seen);
  journey.judge("left over", "crashes: no lock and no litter after the next two commands", [
    ...left.locks,
    ...left.litter,
  ]);
}

const BLOWS = {
  tree: "killed with everything it started",
  child: "one of its children killed",
  interrupt: "Ctrl+C",
  "small-files": "no file can grow beyond 4 kB",
};

/**
 * Brings the project to rest as a user would.
 * @param {Journey} journey @param {Tree} tree @param {Victim} victim @param {Fingerprint} before
 * @param {import("./crash.mjs").Crashed} result @returns {Promise<string[]>}
 */
async function settle(journey, tree, victim, before, result) {
  const expected = await journey.expected(tree, victim.target, before);
  const right = await look(tree).catch((error) => String(error));
  /** @type {string[]} */ const problems = [];
  if (victim.target === undefined) {
    if (typeof right === "string") return [right];
    problems.push(...touched(before, right).map((difference) => `right after it, ${difference}`));
  } else if (result.code === 0 && expected && typeof right !== "string") {
    problems.push(...differences(expected, right).map((difference) => `exit 0, and ${difference}`));
  } else if (result.code > 0 && result.code !== 137 && typeof right !== "string") {
    // It could speak, so it had to take everything back, unless the journal had it already.
    const away = differences(before, right);
    if (
      away.length > 0 &&
      !(expected && differences(expected, right).length === 0) &&
      result.code < 128
    )
      problems.push(...away.map((difference) => `reported ${said(result)}, and ${difference}`));
  }
  const recovered = await journey.waymark(tree, ["recover", "--json"]);
  if (recovered.code !== 0) problems.push(`recover: ${said(recovered)}`);
  const now = await look(tree);
  const fromBefore = differences(before, now);
  const fromExpected = expected ? differences(expected, now) : fromBefore;
  if (fromBefore.length > 0 && fromExpected.length > 0)
    problems.push(...(fromBefore.length < fromExpected.length ? fromBefore : fromExpected));
  problems.push(...(await journey.lost(tree, before, now)).map((what) => `lost: ${what}`));
  const created = await journey.waymark(tree, ["create", "--trigger", "auto", "--json"]);
  if (created.code !== 0) problems.push(`the create after it: ${said(created)}`);
  else if (created.document.checkpoint_created === true)
    journey.remember(created.document.checkpoint.id, tree, now);
  return problems;
}

/**
 * A checkpoint that is there is complete. What a rollback or a recovery took is remembered where it is the state before.
 * @param {Journey} journey @param {Tree} tree @param {Victim} victim @param {Fingerprint} before @param {ReadonlySet<string>} known
 */
async function judgeNewOnes(journey, tree, victim, before, known) {
  for (const id of await refsOf(tree, "cp")) {
    if (known.has(id) || journey.memory.recall(id) !== undefined) continue;
    const missing = await journey.missing(tree, id, before);
    const isWhole = victim.target === undefined;
    if (missing.length === 0) journey.remember(id, tree, before);
    if (isWhole)
      journey.judge(
        "whole or not there",
        "checkpoints of commands that were killed: complete, or not there",
        missing,
      );
  }
}
