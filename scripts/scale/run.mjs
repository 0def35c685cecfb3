// Very large projects: how long each command takes, how much memory, and how both grow. docs/scale.md explains it.
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { BIN, makeTools } from "../bench/process.mjs";
import { verdict } from "../proof/figures.mjs";
import { describeMachine } from "../proof/machine.mjs";
import { judge } from "./judge.mjs";
import { count } from "../bench/markdown-table.mjs";
import { openRecord } from "./record.mjs";
import { growthSection, render, writeSection } from "./report.mjs";
import { SCENARIOS } from "./scenarios.mjs";
import { openSite } from "./site.mjs";
import { measureUsersGit } from "./users-git.mjs";
import { usersGitReport } from "./users-git-report.mjs";

const IDS = [...SCENARIOS.map(({ id }) => id), "users-git"];

const USAGE = `node scripts/scale/run.mjs [options]
  --quick      a tenth of each size
  --only A,B   some of: ${IDS.join(", ")}
  --write      put the figures into docs/scale.md and docs/proof/scale.json`;

/** Left free on the disk whatever happens. */
const RESERVED_BYTES = 4 * 1024 ** 3;
const ROUNDS = 21;

/** @type {readonly import("./users-git.mjs").Size[]} */
const USERS_GIT = [
  { history: "HEAD constant", checkpoints: 0 },
  { history: "HEAD constant", checkpoints: 100, sessions: 10 },
  { history: "HEAD constant", checkpoints: 1000, sessions: 100 },
  { history: "HEAD constant", checkpoints: 10_000, sessions: 1000 },
  { history: "a commit before each", checkpoints: 200 },
  { history: "an amend before each", checkpoints: 200 },
];

/** @typedef {import("../proof/figures.mjs").Figure} Figure */
/** @typedef {import("./report.mjs").Section} Section */
/** @typedef {{ at: number, machine: string }} Begun */

/** @param {string} text */
const say = (text) => process.stderr.write(`${text}\n`);

/** @param {import("./scenarios.mjs").Scenario} scenario @param {string} folder @param {number} size */
async function measureSize(scenario, folder, size) {
  const site = openSite(folder);
  say(`${count(size)} ${scenario.unit}: building`);
  const measured = [];
  try {
    for (const step of scenario.build(site, size)) {
      const found = await site.measure(step);
      const said = found.wrong === undefined ? "" : ` WRONG: ${found.wrong}`;
      say(
        `  ${step.name}: ${(found.ms / 1000).toFixed(2)} s, CPU ${(found.cpuMs / 1000).toFixed(2)} s, ${Math.round(found.ownMb)} MB, with git ${Math.round(found.treeMb)} MB${said}`,
      );
      measured.push(found);
    }
    return measured;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

/** @param {import("./scenarios.mjs").Scenario} scenario @param {string} folder @param {number} size */
async function measureScenario(scenario, folder, size) {
  const small = await measureSize(scenario, join(folder, "small"), Math.round(size / 10));
  const large = await measureSize(scenario, join(folder, "large"), size);
  return large.flatMap((found, at) => {
    const before = small[at];
    return before === undefined ? [] : [judge(scenario, size, before, found)];
  });
}

/** Bytes that are missing on the disk for it; 0: none. @param {import("./scenarios.mjs").Scenario} scenario @param {string} folder @param {number} size */
function missingRoom({ diskPerItem = 0 }, folder, size) {
  const { bavail, bsize } = statfsSync(folder);
  return Math.max(0, diskPerItem * size + RESERVED_BYTES - bavail * bsize);
}

/** @param {string} folder @param {boolean} quick */
function usersGit(folder, quick) {
  const home = join(folder, "home");
  mkdirSync(home, { recursive: true });
  const sizes = quick ? USERS_GIT.filter(({ checkpoints }) => checkpoints <= 1000) : USERS_GIT;
  const rows = measureUsersGit(makeTools(home), folder, sizes, ROUNDS, say);
  rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  return usersGitReport(rows, sizes, ROUNDS);
}

async function main() {
  const { values } = parseArgs({
    options: {
      quick: { type: "boolean", default: false },
      only: { type: "string" },
      write: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(USAGE);
  if (!existsSync(BIN)) throw new Error("dist/bin.cjs is not there: run `npm run build` first");
  const only = values.only?.split(",");
  const unknown = only?.find((id) => !IDS.includes(id));
  if (unknown !== undefined) throw new Error(`--only: there is no "${unknown}"\n${USAGE}`);
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-scale-")));
  /** @type {Figure[]} */ const figures = [];
  /** @type {string[]} */ const skipped = [];
  const record = openRecord(IDS, { quick: values.quick, skipped });
  /** @param {{ section: Section, figure: Figure }} found @param {Begun} begun */
  const keep = ({ section, figure }, { at, machine }) => {
    const text = render(section, machine);
    console.log(`${text}\n`);
    figures.push(figure);
    if (!values.write) return;
    writeSection(section.id, text);
    record.add(figure, Math.round((Date.now() - at) / 1000));
  };
  /** Before it: the load is that of others. @returns {Begun} */
  const begin = () => ({ at: Date.now(), machine: describeMachine(folder) });
  try {
    for (const scenario of SCENARIOS.filter(({ id }) => only?.includes(id) ?? true)) {
      const size = values.quick ? scenario.size / 10 : scenario.size;
      const missing = missingRoom(scenario, folder, size);
      if (missing > 0) {
        const gib = (missing / 1024 ** 3).toFixed(1);
        skipped.push(
          `${count(size)} ${scenario.unit}: ${gib} GiB of disk are missing in ${tmpdir()}`,
        );
        say(`skipped: ${skipped.at(-1)}`);
        continue;
      }
      const begun = begin();
      const rows = await measureScenario(scenario, join(folder, scenario.id), size);
      for (const { name, wrong } of rows) for (const text of wrong) say(`WRONG: ${name}: ${text}`);
      const figure = {
        id: scenario.id,
        what: `${count(size)} ${scenario.unit}, and a tenth of it`,
        tried: rows.length,
        wrong: rows.filter(({ wrong }) => wrong.length > 0).length,
        detail: `times ${Math.max(...rows.map(({ growth }) => growth)).toFixed(1)}x at most, node ${Math.round(Math.max(...rows.map(({ large }) => large.ownMb)))} MB at most`,
      };
      keep({ section: growthSection(scenario, size, rows), figure }, begun);
    }
    if (only?.includes("users-git") ?? true) {
      const begun = begin();
      const found = usersGit(join(folder, "users-git"), values.quick);
      for (const text of found.wrong) say(`WRONG: ${text}`);
      keep(found, begun);
    }
    const { line, wrong } = verdict(figures);
    console.log([...skipped.map((what) => `skipped: ${what}`), line].join("\n"));
    process.exitCode = wrong === 0 ? 0 : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Ctrl+C ends the running child, and that error leads to the clean-up.
process.on("SIGINT", () => {});
try {
  await main();
} catch (error) {
  console.error(`scale: ${/** @type {Error} */ (error).message}`);
  process.exitCode = 1;
}
