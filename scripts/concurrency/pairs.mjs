// Two commands of ours at the same moment: rollbacks of one work tree and of two, beside cleanups, deletions, exports, imports.
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { differences } from "../faults/fingerprint.mjs";
import { expectedAfterRollback } from "../faults/fixtures.mjs";
import { said } from "../faults/waymark.mjs";
import { look } from "../soak/memory.mjs";
import { isKept } from "../soak/repositories.mjs";

/** @typedef {import("../soak/journey.mjs").Journey} Journey */
/** @typedef {import("../soak/repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */
/** @typedef {Awaited<ReturnType<Journey["waymark"]>>} Answer */

/** What one of two may be told: not there any more, confirm, busy. */
const POLITE = new Set([0, 3, 5, 6]);

/** @param {Journey} journey @param {Tree} main @param {Tree} linked @param {number} rounds */
export async function pairs(journey, main, linked, rounds) {
  const file = join(journey.repository.folder, "pair.bundle");
  for (let round = 0; round < rounds; round++) {
    const one = await checkpoint(journey, main, `one ${round}\n`);
    const two = await checkpoint(journey, main, `two ${round}\n`);
    const three = await checkpoint(journey, linked, `three ${round}\n`);
    const kinds = {
      "two rollbacks": [back(one), back(two)],
      "rollback and cleanup": [back(one), ["cleanup", "--keep", "3", "--json"]],
      "rollback and deletion": [back(one), ["delete", one.id, "--yes", "--json"]],
      "rollback and export": [back(two), ["export", one.id, "-o", file, "--force", "--json"]],
      "rollback and import": [back(one), ["import", file, "--json"]],
      "rollback and create": [back(two), ["create", "--force", "--json"]],
      "rollback and undo": [back(one), ["undo", "--yes", "--discard-commits", "--json"]],
    };
    for (const [name, [first = [], second = []]] of Object.entries(kinds))
      await judgePair(journey, main, name, first, second, [one, two]);
    await judgeTwoTrees(journey, main, linked, one, three);
  }
  rmSync(file, { force: true });
}

/** @typedef {{ id: string, state: Fingerprint }} Known */

/** @param {Known} target */
const back = ({ id }) => ["rollback", id, "--yes", "--discard-commits", "--json"];

/** @param {Journey} journey @param {Tree} tree @param {string} text @returns {Promise<Known>} */
async function checkpoint(journey, tree, text) {
  writeFileSync(join(tree.subject.place.project, "src/f1.txt"), text);
  writeFileSync(join(tree.subject.place.project, `new-${text.slice(0, 3)}.txt`), text);
  const { document } = await journey.waymark(tree, ["create", "--force", "--json"]);
  const known = { id: document.checkpoint.id, state: await look(tree) };
  journey.remember(known.id, tree, known.state);
  return known;
}

/**
 * Whatever each of them is told, the project is what it was or one of the two states, and nothing is lost.
 * @param {Journey} journey @param {Tree} tree @param {string} name @param {readonly string[]} first @param {readonly string[]} second
 * @param {readonly Known[]} known
 */
async function judgePair(journey, tree, name, first, second, known) {
  writeFileSync(
    join(tree.subject.place.project, "src/f4.txt"),
    `${name} ${journey.random.text(8)}\n`,
  );
  const before = await look(tree);
  const answers = await Promise.all([journey.waymark(tree, first), journey.waymark(tree, second)]);
  const now = await look(tree);
  const allowed = [
    before,
    ...known.map(({ state }) => expectedAfterRollback(state, before, isKept)),
  ];
  const isOne = allowed.some((state) => differences(state, now, { only: "files" }).length === 0);
  // An undo beside a rollback may also take back the one before.
  const isFree = second[0] === "undo" && answers[1]?.code === 0;
  journey.judge(
    name,
    `${name} of one work tree at once: each done or refused, one of the states as a whole, nothing lost`,
    [
      ...answers.filter(({ code }) => !POLITE.has(code)).map(said),
      ...(isOne || isFree
        ? []
        : ["the project is neither what it was nor what either of them makes of it"]),
      ...(await journey.lost(tree, before, now)),
    ],
  );
}

/** @param {Journey} journey @param {Tree} main @param {Tree} linked @param {Known} one @param {Known} three */
async function judgeTwoTrees(journey, main, linked, one, three) {
  const places = [
    { tree: main, target: one },
    { tree: linked, target: three },
  ];
  const before = await Promise.all(places.map(({ tree }) => look(tree)));
  const answers = await Promise.all(
    places.map(({ tree, target }) => journey.waymark(tree, back(target))),
  );
  for (const [at, { tree, target }] of places.entries()) {
    const answer = /** @type {Answer} */ (answers[at]);
    // The deletion or the cleanup before may have taken it.
    const expected =
      answer.code === 0
        ? expectedAfterRollback(target.state, /** @type {Fingerprint} */ (before[at]), isKept)
        : /** @type {Fingerprint} */ (before[at]);
    const wrong = answer.code === 0 || answer.code === 3 ? [] : [said(answer)];
    journey.judge(
      "two work trees",
      "rollbacks of two work trees of a repository at once: both done, each exact",
      [...wrong, ...differences(expected, await look(tree), { only: "files" })],
    );
  }
}
