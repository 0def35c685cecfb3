#!/usr/bin/env node
// `npm run soak -- --minutes 60 [--seed N] [--repos 3] [--write] [--keep]`: random agents in a few repositories for as long as one likes.
//
// Everything that is done is chosen by the seed; how long things take is not, so a failure may need a few runs to come back. What
// failed, and the repository that it failed in, are kept.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { DEFAULT_BIN, missingProgram } from "../faults/waymark.mjs";
import { commandLine, verdict, writeFigures } from "../proof/figures.mjs";
import { Random } from "../proof/random.mjs";
import { figuresOf, showFigures } from "../proof/tallies.mjs";
import { callHook } from "./call-hooks.mjs";
import { crash } from "./crash-commands.mjs";
import { work } from "./edits.mjs";
import { checkAtEnd, removeRepository } from "./final-check.mjs";
import { judgeGrowth, showSamples, takeSample } from "./growth.mjs";
import { Journey } from "./journey.mjs";
import { cleanUp, collectGarbage, deleteOne, exportAndImport, pinOne } from "./keep-and-move.mjs";
import { makeRepository } from "./repositories.mjs";
import { rollBackAPart } from "./roll-back-a-part.mjs";
import { failGuarded, rollBackToOne, step } from "./roll-back.mjs";
import { runSession } from "./run-sessions.mjs";
import { createMany, createOne } from "./take-checkpoints.mjs";

/** @typedef {import("./repositories.mjs").Tree} Tree */

const { values } = parseArgs({
  options: {
    minutes: { type: "string", default: "5" },
    seed: { type: "string", default: String(Date.now() % 0x7fff_ffff) },
    repos: { type: "string", default: "3" },
    bin: { type: "string", default: DEFAULT_BIN },
    write: { type: "boolean", default: false },
    keep: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(
    "npm run soak -- [--minutes 5] [--seed N] [--repos 3] [--bin FILE] [--write] [--keep]",
  );
  process.exit(0);
}
const minutes = Number(values.minutes);
const seed = Number(values.seed);
for (const name of /** @type {const} */ (["minutes", "seed", "repos"])) {
  if (Number(values[name]) > 0) continue;
  console.error(`soak: --${name} ${values[name]} is no number above 0`);
  process.exit(2);
}
const missing = missingProgram(values.bin);
if (missing !== undefined) {
  console.error(missing);
  process.exit(2);
}

/** @type {Readonly<Record<string, { weight: number, act: (journey: Journey, tree: Tree) => Promise<unknown> }>>} */
const ACTIONS = {
  work: { weight: 20, act: (journey, tree) => work(tree, journey.random) },
  create: { weight: 12, act: createOne },
  many: { weight: 3, act: createMany },
  hook: { weight: 14, act: callHook },
  session: { weight: 2, act: runSession },
  rollback: { weight: 12, act: rollBackToOne },
  undo: { weight: 7, act: (journey, tree) => step(journey, tree, "undo") },
  redo: { weight: 4, act: (journey, tree) => step(journey, tree, "redo") },
  part: { weight: 5, act: rollBackAPart },
  guard: { weight: 1, act: failGuarded },
  cleanup: { weight: 2, act: (journey, tree) => cleanUp(journey, tree) },
  delete: { weight: 2, act: deleteOne },
  pin: { weight: 1, act: pinOne },
  export: { weight: 1, act: exportAndImport },
  gc: { weight: 1, act: (journey, tree) => collectGarbage(journey, tree) },
  crash: { weight: 12, act: crash },
};
const WEIGHTS = Object.fromEntries(
  Object.entries(ACTIONS).map(([name, { weight }]) => [name, weight]),
);

/** Safety checkpoints that alone hold commits are for their user to delete; more than this many are. */
const MOST_WITH_COMMITS = 5;

/** What its user does now and then; then it is measured. @param {Journey} journey @param {number} minute */
async function tidyUp(journey, minute) {
  const [first] = journey.repository.trees;
  const tree = /** @type {Tree} */ (first);
  const document = await cleanUp(journey, tree, []);
  const holders = (document?.kept ?? []).filter((/** @type {{ reason: string }} */ { reason }) =>
    reason.includes("alone holds commits"),
  );
  for (const { id } of holders.slice(MOST_WITH_COMMITS))
    await journey.waymark(tree, ["delete", id, "--yes", "--json"]);
  await collectGarbage(journey, tree, "reflog expire --expire=now --all");
  await collectGarbage(journey, tree, "gc -q --prune=now");
  return takeSample(journey.repository, minute, document?.bytes_total ?? 0);
}

const started = Date.now();
const until = started + minutes * 60_000;
const root = mkdtempSync(join(tmpdir(), "waymark-soak-"));
const kinds = /** @type {const} */ (["linked", "plain", "big"]);
console.log(`seed ${seed}, ${minutes} minutes, in ${root}`);

/** @param {Journey} journey @param {string} what @param {() => Promise<void>} act */
async function attempt(journey, what, act) {
  try {
    await act();
  } catch (error) {
    const why = error instanceof Error ? (error.stack ?? error.message) : String(error);
    journey.judge("harness", "steps that the harness itself could not carry out", [
      `${what}: ${why}`,
    ]);
  }
}

/** @param {number} number */
async function travel(number) {
  const kind = kinds[number % kinds.length] ?? "linked";
  const folder = join(root, `${number}-${kind}`);
  mkdirSync(folder);
  const journey = new Journey(
    await makeRepository(folder, kind, values.bin),
    new Random(seed + number),
  );
  /** @type {import("./growth.mjs").Sample[]} */ const samples = [];
  while (Date.now() < until) {
    const minute = Math.floor((Date.now() - started) / 60_000);
    if (minute > (samples.at(-1)?.minute ?? 0))
      await attempt(journey, "tidy up", async () => {
        samples.push(await tidyUp(journey, minute));
      });
    journey.step++;
    const name = journey.random.weighted(WEIGHTS);
    const tree = journey.random.pick(journey.repository.trees);
    await attempt(journey, name, async () => {
      await ACTIONS[name]?.act(journey, tree);
    });
  }
  await attempt(journey, "check at the end", () => checkAtEnd(journey));
  judgeGrowth(journey, samples);
  return { journey, samples };
}

const journeys = await Promise.all(
  Array.from({ length: Number(values.repos) }, (_, number) => travel(number)),
);

for (const { journey, samples } of journeys) {
  console.log(`\n${journey.repository.name}: ${journey.step} steps`);
  console.log(showSamples(samples));
  for (const [answer, times] of journey.answers) console.log(`  ${answer}: ${times}`);
  for (const problem of journey.findings) console.log(`  WRONG ${problem}`);
  writeFileSync(join(root, `${journey.repository.name}.samples.json`), JSON.stringify(samples));
}
const list = figuresOf(journeys.map(({ journey }) => journey.tallies)).sort((one, other) =>
  one.id < other.id ? -1 : 1,
);
console.log(`\n${showFigures(list)}`);
const { wrong, line } = verdict(list);
console.log(
  `\n${journeys.reduce((sum, { journey }) => sum + journey.step, 0)} steps, seed ${seed}: ${line}`,
);
if (values.write) {
  writeFigures({
    name: "soak",
    command: commandLine("soak", seed),
    seconds: Math.round((Date.now() - started) / 1000),
    figures: list.map((figure) =>
      figure.id === "growth" ? { ...figure, detail: growthInWords() } : figure,
    ),
    note: `${journeys.reduce((sum, { journey }) => sum + journey.step, 0)} steps in ${journeys.length} repositories: a git repository with a linked work tree, a plain folder, a git repository of 2,000 files.`,
  });
}
if (!values.keep) {
  for (const { journey } of journeys)
    if (journey.findings.length === 0) await removeRepository(journey);
  if (wrong === 0) rmSync(root, { recursive: true });
}
process.exitCode = wrong === 0 ? 0 : 1;

function growthInWords() {
  return journeys
    .map(({ journey, samples }) => {
      const show = (/** @type {import("./growth.mjs").Sample | undefined} */ sample) =>
        sample
          ? `minute ${sample.minute}: ${sample.checkpoints} checkpoints, ${Math.round(sample.objectBytes / 1000)} kB of objects, ${Math.round(sample.sessionBytes / 1000)} kB of sessions, ${Math.round(sample.privateBytes / 1000)} kB of private files`
          : "";
      const places = [0, Math.floor(samples.length / 2), samples.length - 1];
      return `${journey.repository.name}: ${places.map((place) => show(samples[place])).join("; ")}`;
    })
    .join(". ");
}
