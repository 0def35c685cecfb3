// Measures Waymark against git and the usual alternatives. docs/benchmarks.md explains the method.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import {
  floorCases,
  hookCases,
  shadowCase,
  stashCases,
  timeFirst,
  waymarkCases,
} from "./contenders.mjs";
import { buildPair, describeObjects, listCases, userCases } from "./many-checkpoints.mjs";
import { measure } from "./measure.mjs";
import { BIN, makeTools } from "./process.mjs";
import { render, writePage } from "./report.mjs";
import { buildRepository, FEWEST_FILES } from "./repository.mjs";
import { describeMachine } from "../proof/machine.mjs";

const USAGE = `node scripts/bench/run.mjs [options]
  --full           200 and 100,000 files, 15 rounds (default: 200 and 10,000 files, 7 rounds)
  --files A,B      repositories with so many files
  --rounds N       timed rounds; one more before them is not counted
  --checkpoints N  for the list and the user's own git (default 1000)
  --write          put the tables into docs/benchmarks.md`;

/** @typedef {import("./process.mjs").Tools} Tools */

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** @param {string} what */
const progress = (what) => (/** @type {number} */ round) =>
  say(`${what}: ${round === 0 ? "warming up" : `round ${round}`}`);

/** @param {Tools} tools @param {string} folder @param {number} files @param {number} rounds */
function measureSize(tools, folder, files, rounds) {
  say(`${files} files: building`);
  const repository = buildRepository(tools, join(folder, "repository"), files);
  const stashed = buildRepository(tools, join(folder, "stashed"), files);
  const gitDir = join(folder, "shadow.git");
  const first = timeFirst(tools, repository, gitDir);
  tools.run("sync", [], { cwd: folder });
  const cases = [
    ...floorCases(tools, repository.folder),
    ...waymarkCases(tools, repository),
    ...hookCases(tools, repository),
    ...stashCases(tools, stashed),
    shadowCase(tools, repository, gitDir),
  ];
  return { files, first, times: measure(cases, rounds, progress(`${files} files`)) };
}

/** @param {Tools} tools @param {string} folder @param {number} count @param {number} rounds */
function measureMany(tools, folder, count, rounds) {
  say(`${count} checkpoints: building`);
  const pair = buildPair(tools, folder, count);
  tools.run("sync", [], { cwd: folder });
  return {
    count,
    lists: measure(listCases(tools, pair.many, count), rounds, progress("list")),
    users: measure(userCases(tools, pair), rounds, progress("the user's git")),
    objects: {
      without: describeObjects(tools, pair.without),
      many: describeObjects(tools, pair.many),
    },
  };
}

function main() {
  const { values } = parseArgs({
    options: {
      full: { type: "boolean", default: false },
      files: { type: "string" },
      rounds: { type: "string" },
      checkpoints: { type: "string", default: "1000" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  const sizes = (values.files ?? (values.full ? "200,100000" : "200,10000"))
    .split(",")
    .map((text) => atLeast(FEWEST_FILES, "--files", text));
  const rounds = atLeast(1, "--rounds", values.rounds ?? (values.full ? "15" : "7"));
  const checkpoints = atLeast(1, "--checkpoints", values.checkpoints);
  if (!existsSync(BIN)) throw new Error("dist/bin.cjs is not there: run `npm run build` first");

  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-bench-")));
  try {
    const home = join(folder, "home");
    mkdirSync(home);
    const tools = makeTools(home);
    const machine = describeMachine(folder);
    const text = render({
      machine,
      rounds,
      date: new Date().toISOString().slice(0, 10),
      sizes: sizes.map((files) => measureSize(tools, join(folder, String(files)), files, rounds)),
      many: measureMany(tools, join(folder, "many"), checkpoints, rounds),
    });
    console.log(text);
    if (values.write) writePage(text);
  } finally {
    // Not earlier: the disk would be busy with it while others are measured.
    say("removing the repositories");
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @param {number} least @param {string} option @param {string} text */
function atLeast(least, option, text) {
  const number = Number(text);
  if (Number.isInteger(number) && number >= least) return number;
  throw new Error(`${option}: "${text}" is not a whole number of at least ${least}`);
}

// Ctrl+C ends the running child, and that error leads to the clean-up.
process.on("SIGINT", () => {});
try {
  main();
} catch (error) {
  console.error(`bench: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
