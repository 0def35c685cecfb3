// Two commands of ours at the same moment: rollbacks of one work tree and of two, beside cleanups, deletions, exports, imports.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../faults/fingerprint.mjs";
import { expectedAfterRollback } from "../faults/fixtures.mjs";
import { notOneOf } from "../faults/held.mjs";
import { said } from "../faults/waymark.mjs";
import { look } from "../soak/memory.mjs";
import { isKept } from "../soak/repositories.mjs";

/** @typedef {import("../soak/journey.mjs").Journey} Journey */
/** @typedef {import("../soak/repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {Awaited<ReturnType<Journey["waymark"]>>} Answer */
/** @typedef {{ id: string, state: Fingerprint }} Known */

/**
 * One of two commands.
 * @typedef {object} Half
 * @property {string[]} args
 * @property {Known} [target] what it makes of the project; none: it leaves the project alone
 * @property {boolean} [mayMiss] the other one may take what it is about
 * @property {boolean} [isUndo] and if it comes second, it takes the other one back
 */

/** What one of two may be told: confirm, busy. */
const POLITE = new Set([0, 5, 6]);
const NOT_THERE = 3;

/** @param {Known} target @param {{ mayMiss?: boolean }} [how] @returns {Half} */
const back = (target, how = {}) => ({
  args: ["rollback", target.id, "--yes", "--discard-commits", "--json"],
  target,
  ...how,
});

/** What pairs are made of: two new checkpoints, the state before the last rollback, a file with the first checkpoint. */
/** @typedef {{ one: Known, two: Known, earlier: Known, file: string }} Scene */

/** @type {Readonly<Record<string, (scene: Scene) => [Half, Half]>>} */
const PAIRS = {
  "two rollbacks": ({ one, two }) => [back(one), back(two)],
  "rollback and cleanup": ({ one }) => [
    back(one, { mayMiss: true }),
    { args: ["cleanup", "--keep", "3", "--json"] },
  ],
  "rollback and deletion": ({ one }) => [
    back(one, { mayMiss: true }),
    { args: ["delete", one.id, "--yes", "--json"] },
  ],
  "rollback and export": ({ one, two, file }) => [
    back(two),
    { args: ["export", one.id, "-o", file, "--force", "--json"] },
  ],
  "rollback and import": ({ one, file }) => [back(one), { args: ["import", file, "--json"] }],
  "rollback and create": ({ two }) => [back(two), { args: ["create", "--force", "--json"] }],
  "rollback and undo": ({ one, earlier }) => [
    back(one),
    {
      args: ["undo", "--yes", "--discard-commits", "--json"],
      target: earlier,
      isUndo: true,
    },
  ],
};

/** @param {Journey} journey @param {Tree} main @param {Tree} linked @param {number} rounds */
export async function pairs(journey, main, linked, rounds) {
  for (let round = 0; round < rounds; round++) {
    for (const [name, make] of Object.entries(PAIRS)) {
      const scene = await makeScene(journey, main, `${name} ${round}`);
      await judgePair(journey, main, name, make(scene));
      rmSync(scene.file, { force: true });
    }
    await judgeTwoTrees(journey, [main, linked], `two work trees ${round}`);
  }
}

/** A success, or there is nothing to look at. @param {Journey} journey @param {Tree} tree @param {readonly string[]} args */
async function mustDo(journey, tree, args) {
  const answer = await journey.waymark(tree, [...args, "--json"]);
  if (answer.code !== 0) throw new Error(`${args.join(" ")}: ${said(answer)}`);
  return answer.document;
}

/** @param {Journey} journey @param {Tree} tree @param {string} text @returns {Promise<Known>} */
async function checkpoint(journey, tree, text) {
  write(tree, "src/f1.txt", text);
  write(tree, `new-${text.slice(0, 3)}.txt`, text);
  const document = await mustDo(journey, tree, ["create", "--force"]);
  const known = { id: document.checkpoint.id, state: await look(tree) };
  journey.remember(known.id, tree, known.state);
  return known;
}

/** Nothing of it is of an earlier pair, which may have deleted it. @param {Journey} journey @param {Tree} tree @param {string} text @returns {Promise<Scene>} */
async function makeScene(journey, tree, text) {
  const one = await checkpoint(journey, tree, `one ${text}\n`);
  const two = await checkpoint(journey, tree, `two ${text}\n`);
  const file = join(journey.repository.folder, "pair.bundle");
  await mustDo(journey, tree, ["export", one.id, "-o", file, "--force"]);
  write(tree, "src/f3.txt", `earlier ${text}\n`);
  const state = await look(tree);
  const document = await mustDo(journey, tree, ["rollback", two.id, "--yes"]);
  return { one, two, earlier: { id: document.undo_checkpoint_id, state }, file };
}

/** @param {Tree} tree @param {string} path @param {string} text */
const write = (tree, path, text) => writeFileSync(join(tree.subject.place.project, path), text);

/**
 * The project is what those that were done make of it, one after the other, and nothing is lost.
 * @param {Journey} journey @param {Tree} tree @param {string} name @param {readonly [Half, Half]} halves
 */
async function judgePair(journey, tree, name, halves) {
  const what = `${name} of one work tree at once: each done or refused, one of them done, what those make of the project, nothing lost`;
  write(tree, "src/f4.txt", `${name} ${journey.random.text(8)}\n`);
  const before = await look(tree);
  const answers = await Promise.all(halves.map(({ args }) => journey.waymark(tree, args)));
  const now = await look(tree);
  const done = halves.filter((_, at) => answers[at]?.code === 0);
  for (const [at, answer] of answers.entries())
    if (answer.code !== 0)
      journey.besides(name, what, `${halves[at]?.args[0]} ${answer.document?.error?.code}`);
  const isPolite = (/** @type {Answer} */ { code }, /** @type {number} */ at) =>
    POLITE.has(code) || (code === NOT_THERE && halves[at]?.mayMiss === true);
  const allowed = allowedStates(done, before);
  const away = allowed.map((state) => differences(state, now));
  const closest = away.sort((one, other) => one.length - other.length)[0] ?? [];
  journey.judge(name, what, [
    ...answers.filter((answer, at) => !isPolite(answer, at)).map(said),
    ...(done.length === 0 ? ["both were refused"] : []),
    ...closest,
    ...(await wrongCheckpoints(tree, answers, [before, ...allowed])),
    ...(await journey.lost(tree, before, now)),
  ]);
}

/**
 * What a create beside a rollback says it has made is of before or of after, never of the middle.
 * @param {Tree} tree @param {readonly Answer[]} answers @param {readonly Fingerprint[]} states
 */
async function wrongCheckpoints(tree, answers, states) {
  /** @type {string[]} */ const wrong = [];
  for (const { code, document } of answers)
    if (code === 0 && document?.kind === "checkpoint_created")
      wrong.push(
        ...(await notOneOf(tree.seen, `refs/waymark/cp/${document.checkpoint.id}`, states, isKept)),
      );
  return wrong;
}

/** @param {readonly Half[]} done @param {Fingerprint} before @returns {Fingerprint[]} what the project may be by then */
function allowedStates(done, before) {
  const moves = done.filter(({ target }) => target !== undefined);
  const isUndone = moves.length === 2 && moves.some(({ isUndo }) => isUndo);
  if (moves.length === 0) return [before];
  return moves.flatMap(({ target, isUndo }) => {
    // After a rollback beside it, undo takes back that one.
    if (isUndone && isUndo === true) return [before];
    return target === undefined ? [] : [expectedAfterRollback(target.state, before, isKept)];
  });
}

/** @param {Journey} journey @param {readonly Tree[]} trees @param {string} text */
async function judgeTwoTrees(journey, trees, text) {
  /** @type {{ tree: Tree, target: Known, before: Fingerprint }[]} */ const places = [];
  for (const tree of trees) {
    const target = await checkpoint(journey, tree, `${tree.name} ${text}\n`);
    write(tree, "src/f1.txt", "later\n");
    places.push({ tree, target, before: await look(tree) });
  }
  const answers = await Promise.all(
    places.map(({ tree, target }) => journey.waymark(tree, back(target).args)),
  );
  for (const [at, { tree, target, before }] of places.entries()) {
    const answer = /** @type {Answer} */ (answers[at]);
    const expected = expectedAfterRollback(target.state, before, isKept);
    journey.judge(
      "two work trees",
      "rollbacks of two work trees of a repository at once: both done, each exact",
      answer.code === 0 ? differences(expected, await look(tree)) : [said(answer)],
    );
  }
}
