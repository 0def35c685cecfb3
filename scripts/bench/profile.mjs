// What Waymark does in the time that the benchmark measures, for docs/where-the-time-goes.md.
import { mkdtempSync, readdirSync, readFileSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { commandLine } from "../proof/figures.mjs";
import { fillFile } from "../proof/fill-page.mjs";
import { describeMachine } from "../proof/machine.mjs";
import { makeCheckpoints } from "./many-checkpoints.mjs";
import { count, milliseconds, table } from "./markdown-table.mjs";
import { BUCKETS, takeApart } from "./profile-buckets.mjs";
import { BIN, makeTools } from "./process.mjs";
import { buildRepository, change } from "./repository.mjs";
import { median } from "./statistics.mjs";
import { fourFiles } from "./work.mjs";

/** @typedef {ReturnType<typeof takeApart> & { total: number }} Taken */
/** @typedef {{ title: string, node: number, taken: Taken[] }} Column */

/** What is compiled on the way is kept after the first runs; they are not counted. */
const WARM_UP = 3;

const USAGE = `npm run profile -- [options]
  --files A,B      repositories with so many files (default 200,25000,100000)
  --rounds N       that are counted; ${WARM_UP} before them are not (default 15)
  --checkpoints N  for the list (default 1000)
  --write          put the table into docs/where-the-time-goes.md`;

const { values } = parseArgs({
  options: {
    files: { type: "string", default: "200,25000,100000" },
    rounds: { type: "string", default: "15" },
    checkpoints: { type: "string", default: "1000" },
    write: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (values.help) {
  console.log(USAGE);
  process.exit();
}
const rounds = Number(values.rounds);
const PAGE = fileURLToPath(new URL("../../docs/where-the-time-goes.md", import.meta.url));
const INTERVAL_US = 100;
const MOST_FUNCTIONS = 8;

const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-profile-")));
const tools = makeTools(join(folder, "home"));
let profiles = 0;

/** @param {string} cwd @param {readonly string[]} args @returns {Taken} */
function profileOf(cwd, args) {
  const place = join(folder, `profile-${profiles++}`);
  const profiled = ["--cpu-prof", `--cpu-prof-dir=${place}`, `--cpu-prof-interval=${INTERVAL_US}`];
  tools.node(cwd, ...profiled, ...args);
  const [name = ""] = readdirSync(place);
  /** @type {import("./profile-buckets.mjs").Profile} */
  const profile = JSON.parse(readFileSync(join(place, name), "utf8"));
  rmSync(place, { recursive: true });
  return { ...takeApart(profile), total: (profile.endTime - profile.startTime) / 1000 };
}

/** @param {string} title @param {string} cwd @param {() => readonly string[]} prepare what to run then @returns {Column} */
function measure(title, cwd, prepare) {
  process.stderr.write(`${title}\n`);
  /** @type {Taken[]} */ const taken = [];
  /** @type {number[]} */ const starts = [];
  for (let round = -WARM_UP; round < rounds; round++) {
    const found = profileOf(cwd, [BIN, ...prepare()]);
    const { total } = profileOf(cwd, ["-e", "0"]);
    if (round < 0) continue;
    taken.push(found);
    starts.push(total);
  }
  return { title, node: median(starts), taken };
}

/** @param {number} files @returns {Column[]} */
function columnsOf(files) {
  const repository = buildRepository(tools, join(folder, String(files)), files);
  const work = repository.folder;
  tools.waymark(work, "create");
  const where = `${count(files)} files`;
  const create = measure(`create, ${where}`, work, () => {
    change(repository, fourFiles(repository));
    return ["create"];
  });
  const clean = measure(`nothing changed, ${where}`, work, () => ["create"]);
  const id = /\bcp-\S+/.exec(tools.waymark(work, "create"))?.[0] ?? "";
  const rollback = measure(`rollback, ${where}`, work, () => {
    change(repository, repository.modified);
    return ["rollback", id, "--yes"];
  });
  rmSync(work, { recursive: true });
  return [create, clean, rollback];
}

/** @param {number} checkpoints */
function listColumn(checkpoints) {
  const repository = buildRepository(tools, join(folder, "list"), 200);
  makeCheckpoints(tools, repository, checkpoints);
  return measure(`list of ${count(checkpoints)}`, repository.folder, () => ["list"]);
}

/** The median of each: they do not add up to the whole to a tenth. @param {readonly Column[]} columns */
function render(columns) {
  const row = (/** @type {string} */ name, /** @type {(taken: Taken) => number} */ of) => [
    name,
    ...columns.map(({ taken }) => milliseconds(median(taken.map(of)))),
  ];
  const rows = [
    ...BUCKETS.map((bucket) => row(bucket, ({ buckets }) => buckets.get(bucket) ?? 0)),
    row("**all**", ({ total }) => total),
    ["`node -e 0`", ...columns.map(({ node }) => milliseconds(node))],
  ];
  const dearest = columns.map(({ title, taken }) => `- ${title}: ${functionsOf(taken)}`);
  return [
    `${new Date().toISOString().slice(0, 10)}, \`${commandLine("profile")}\`, ${rounds} rounds. ${describeMachine(folder)}.`,
    table(["ms", ...columns.map(({ title }) => title)], rows),
    "Of our own code, the functions that take most by themselves:",
    dearest.join("\n"),
  ].join("\n\n");
}

/** @param {readonly Taken[]} taken */
function functionsOf(taken) {
  const names = new Set(taken.flatMap(({ functions }) => [...functions.keys()]));
  return [...names]
    .map((name) => ({ name, ms: median(taken.map(({ functions }) => functions.get(name) ?? 0)) }))
    .sort((one, other) => other.ms - one.ms)
    .slice(0, MOST_FUNCTIONS)
    .map(({ name, ms }) => `\`${name || "(anonymous)"}\` ${ms.toFixed(1)}`)
    .join(", ");
}

try {
  const sizes = values.files.split(",").map(Number);
  const text = render([...sizes.flatMap(columnsOf), listColumn(Number(values.checkpoints))]);
  console.log(text);
  if (values.write) fillFile(PAGE, "profile", text);
} finally {
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
}
