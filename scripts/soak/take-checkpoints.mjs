// Checkpoints that somebody asks for, alone and several at once.
import { said } from "../faults/waymark.mjs";
import { touched, UNTOUCHED } from "./journey.mjs";
import { look } from "./memory.mjs";

/** @typedef {import("./journey.mjs").Journey} Journey */
/** @typedef {import("./repositories.mjs").Tree} Tree */
/** @typedef {import("../faults/fingerprint.mjs").Fingerprint} Fingerprint */

const HOLDS = "checkpoints that were reported: each holds exactly what was there";

/** @param {import("../proof/random.mjs").Random} random @returns {string[]} */
function createArgs(random) {
  return random.pick([
    ["create", "--force", "-m", "by hand"],
    ["create"],
    ["create", "--trigger", "auto"],
    ["create", "--trigger", "tool_use"],
    ["create", "--phase", "implement", "--step", "4", "--trigger", "pre_phase"],
    ["create", "--force", "--expires", "1m"],
    ["create", "--force", "--durability", "fast"],
  ]);
}

/** @param {Journey} journey @param {Tree} tree */
export async function createOne(journey, tree) {
  const before = await look(tree);
  const result = await journey.waymark(tree, [...createArgs(journey.random), "--json"]);
  journey.judge("untouched", UNTOUCHED, touched(before, await look(tree)));
  await judgeCreated(journey, tree, before, result);
}

/**
 * @param {Journey} journey @param {Tree} tree @param {Fingerprint} before
 * @param {Awaited<ReturnType<Journey["waymark"]>>} result
 */
async function judgeCreated(journey, tree, before, result) {
  const id = result.document?.checkpoint?.id;
  if (result.code !== 0 || typeof id !== "string") {
    journey.judge("create", HOLDS, [said(result)]);
    return;
  }
  if (result.document.checkpoint_created === true) journey.remember(id, tree, before);
  journey.judge("create", HOLDS, await journey.missing(tree, id, before));
}

/** Several agents at once, over all work trees of the repository, while nobody edits. @param {Journey} journey */
export async function createMany(journey) {
  const { trees } = journey.repository;
  const before = await Promise.all(trees.map(look));
  const asked = Array.from({ length: 4 }, (_, agent) => agent % trees.length);
  const results = await Promise.all(
    asked.map((at) =>
      journey.waymark(/** @type {Tree} */ (trees[at]), [...createArgs(journey.random), "--json"]),
    ),
  );
  const made = results.filter(({ document }) => document?.checkpoint_created === true);
  const ids = new Set(made.map(({ document }) => document.checkpoint.id));
  journey.judge("at once", "bursts of four creates: all succeed, with different ids", [
    ...results.filter(({ code }) => code !== 0).map(said),
    ...(ids.size === made.length ? [] : ["two creates reported the same id"]),
  ]);
  for (const [place, result] of results.entries()) {
    const at = asked[place] ?? 0;
    await judgeCreated(
      journey,
      /** @type {Tree} */ (trees[at]),
      /** @type {Fingerprint} */ (before[at]),
      result,
    );
  }
}
