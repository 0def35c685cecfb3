#!/usr/bin/env node
// `npm run test:concurrency -- [--rounds N] [--agents N] [--seed N] [--only KIND] [--write] [--keep]`: everybody at once.
//
// The faults `save-*` and `git-*` of `npm run faults` put one save, and one command of the user's, at every point of a command. This is
// the storm: many at once, at random times.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { leftovers } from "../faults/oracle.mjs";
import { DEFAULT_BIN, missingProgram } from "../faults/waymark.mjs";
import { commandLine, verdict, writeFigures } from "../proof/figures.mjs";
import { Random } from "../proof/random.mjs";
import { figuresOf, showFigures } from "../proof/tallies.mjs";
import { checkRepository, removeRepository, validateAll } from "../soak/final-check.mjs";
import { Journey } from "../soak/journey.mjs";
import { makeRepository } from "../soak/repositories.mjs";
import { agentsAtOnce } from "./agents-at-once.mjs";
import { pairs } from "./pairs.mjs";
import { savesDuringRollbacks } from "./saves-during-rollbacks.mjs";
import { usersGit } from "./users-git.mjs";

/** @typedef {import("../soak/repositories.mjs").Tree} Tree */

const USAGE = `node scripts/concurrency/run.mjs [options]
  --rounds N     how often each storm does what it does (default 10)
  --agents N     agents at once (default 8)
  --seed N       what is done; drawn, and printed, when it is not given
  --only KIND    only the storms whose name begins so: agents, agents in a plain folder, saves, saves in a plain folder, users git, pairs
  --bin FILE     the program (default dist/bin.cjs)
  --write        write docs/proof/concurrency.json
  --keep         leave the repositories for a look at them`;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "10" },
    agents: { type: "string", default: "8" },
    seed: { type: "string", default: String(Date.now() % 0x7fff_ffff) },
    only: { type: "string" },
    bin: { type: "string", default: DEFAULT_BIN },
    write: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit(0);
}
const rounds = Number(values.rounds);
const seed = Number(values.seed);
const missing = missingProgram(values.bin);
if (missing !== undefined) {
  console.error(missing);
  process.exit(2);
}

/** @typedef {{ trees: Tree[], side: string, journey: Journey }} Scene */

/** @type {Readonly<Record<string, { kind: "linked" | "plain", act: (scene: Scene) => Promise<void> }>>} */
const STORMS = {
  agents: {
    kind: "linked",
    act: ({ journey, trees, side }) =>
      agentsAtOnce(journey, trees, Number(values.agents), rounds, side),
  },
  "agents in a plain folder": {
    kind: "plain",
    act: ({ journey, trees, side }) => agentsAtOnce(journey, trees, 4, rounds, side),
  },
  saves: {
    kind: "linked",
    act: ({ journey, trees, side }) =>
      savesDuringRollbacks(journey, /** @type {Tree} */ (trees[0]), rounds, side),
  },
  "saves in a plain folder": {
    kind: "plain",
    act: ({ journey, trees, side }) =>
      savesDuringRollbacks(journey, /** @type {Tree} */ (trees[0]), rounds, side),
  },
  "users git": {
    kind: "linked",
    act: ({ journey, trees, side }) =>
      usersGit(
        journey,
        /** @type {Tree} */ (trees[0]),
        /** @type {Tree} */ (trees[1]),
        rounds,
        side,
      ),
  },
  pairs: {
    kind: "linked",
    act: ({ journey, trees }) =>
      pairs(
        journey,
        /** @type {Tree} */ (trees[0]),
        /** @type {Tree} */ (trees[1]),
        Math.ceil(rounds / 4),
      ),
  },
};

const { only = "" } = values;
if (!Object.keys(STORMS).some((name) => name.startsWith(only))) {
  console.error(`--only: there is no "${only}"; there are ${Object.keys(STORMS).join(", ")}`);
  process.exit(2);
}
const started = Date.now();
const root = mkdtempSync(join(tmpdir(), "waymark-concurrency-"));
console.log(`seed ${seed}, ${rounds} rounds, in ${root}`);

/** @type {Journey[]} */ const journeys = [];
for (const [at, [name, { kind, act }]] of Object.entries(STORMS).entries()) {
  if (!name.startsWith(only)) continue;
  const folder = join(root, name.replaceAll(" ", "-"));
  const side = join(folder, "side");
  mkdirSync(side, { recursive: true });
  const repository = await makeRepository(folder, kind, values.bin, 3);
  const journey = new Journey(repository, new Random(seed + at));
  journeys.push(journey);
  await act({ journey, trees: repository.trees, side });
  const main = /** @type {Tree} */ (repository.trees[0]);
  for (const tree of repository.trees) await journey.waymark(tree, ["recover", "--json"]);
  await validateAll(journey, main);
  await checkRepository(journey, main);
  const { locks, litter } = leftovers(main.seen);
  journey.judge("nothing left", "locks and litter after each storm: none", [...locks, ...litter]);
  console.log(`${name}: ${Math.round((Date.now() - started) / 1000)} s`);
  for (const [answer, times] of journey.answers) console.log(`  ${answer}: ${times}`);
  for (const finding of journey.findings) console.log(`  WRONG ${finding}`);
  if (!values.keep && journey.findings.length === 0) await removeRepository(journey);
}

const list = figuresOf(journeys.map(({ tallies }) => tallies));
console.log(showFigures(list));
const { wrong, line } = verdict(list);
console.log(`\nseed ${seed}: ${line}`);
if (values.write)
  writeFigures({
    name: "concurrency",
    command: commandLine("test:concurrency", seed),
    seconds: Math.round((Date.now() - started) / 1000),
    figures: list,
    note: `${values.agents} agents in four work trees and 4 in a plain folder; which of two comes first is up to the machine, so a seed repeats what is done and not when.`,
  });
if (wrong === 0 && !values.keep) rmSync(root, { recursive: true });
process.exitCode = wrong === 0 ? 0 : 1;
