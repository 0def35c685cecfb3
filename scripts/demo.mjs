// A guided tour: an "agent" wrecks a repository, Waymark restores everything, undoes that, and does it again.
// Every claim is checked against a fingerprint of the whole project; exit code 1 if one of them does not hold.
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, styleText } from "node:util";
import { differences, takeFingerprint } from "./faults/fingerprint.mjs";
import { cleanEnvironment } from "./faults/process.mjs";

/** @typedef {import("./faults/fingerprint.mjs").Fingerprint} Fingerprint */

const BIN = fileURLToPath(new URL("../dist/bin.cjs", import.meta.url));

const SET_UP = `git init -q -b main .
git config user.name "Demo" && git config user.email "demo@example.invalid"
mkdir src && printf 'export const add = (a, b) => a + b;\\n' > src/sum.js && printf '# Demo\\n' > README.md
printf '#!/bin/sh\\necho deployed\\n' > deploy.sh && chmod +x deploy.sh && printf '.env\\n' > .gitignore
git add -A && git commit -q -m "first version"
printf 'export const sub = (a, b) => a - b;\\n' >> src/sum.js && git commit -q -a -m "subtract"`;

const WORK = `printf 'export const mul = (a, b) => a * b;\\n' >> src/sum.js && git add src/sum.js   # staged
printf 'export const div = (a, b) => a / b;\\n' >> src/sum.js                       # the same file, not staged
printf 'What it is for.\\n' >> README.md                                            # unstaged
printf 'an idea, only here\\n' > notes.txt                                          # untracked
printf 'TOKEN=secret\\n' > .env                                                     # ignored
mkdir drafts                                                                       # an empty folder`;

const WRECK = `git reset -q --soft HEAD~1                             # takes a commit of yours off the branch
rm .gitignore README.md && rmdir drafts                # deletes files and a folder
printf 'export default 42;\\n' > src/sum.js             # overwrites what was staged and what was not
printf 'overwritten\\n' > notes.txt                     # overwrites the untracked file, which git never had
chmod -x deploy.sh && printf 'junk\\n' > junk.txt       # drops the executable bit, adds a file
git add -A && git commit -q -m "agent: simplify"       # commits everything, .env too, and so moves main
printf 'half done\\n' >> src/sum.js                     # and leaves an edit behind`;

const colored =
  (process.stdout.isTTY || (process.env["FORCE_COLOR"] ?? "0") !== "0") &&
  (process.env["NO_COLOR"] ?? "") === "";

/** @param {Parameters<typeof styleText>[0]} style @param {string} text */
const paint = (style, text) => (colored ? styleText(style, text) : text);

/** @param {string} text */
const indent = (text) => text.trimEnd().replaceAll(/^(?=.)/gm, "    ");

/** The project of the demo, and what was found wrong with it so far. */
class Demo {
  /** @type {string[]} */ failures = [];
  #step = 0;

  /** @param {string} folder */
  constructor(folder) {
    this.project = join(folder, "project");
    this.env = cleanEnvironment(join(folder, "home"));
    mkdirSync(this.project);
    mkdirSync(join(folder, "home"));
  }

  /** @param {string} title */
  step(title) {
    this.#step++;
    console.log(`\n${paint("bold", `${this.#step}. ${title}`)}`);
  }

  /** Runs lines of shell and shows them. @param {string} lines */
  shell(lines) {
    for (const line of lines.split("\n")) console.log(paint("cyan", `  $ ${line}`));
    return this.#run("sh", ["-ec", lines], 0);
  }

  /**
   * @param {string[]} args
   * @param {number} [exitCode] the one that is expected
   */
  waymark(args, exitCode = 0) {
    const shown = args.map((arg) => (/[\s"]/.test(arg) ? JSON.stringify(arg) : arg)).join(" ");
    console.log(paint("cyan", `  $ waymark ${shown}`));
    return this.#run(process.execPath, [BIN, ...args], exitCode);
  }

  /** @param {string} command @param {string[]} args @param {number} exitCode */
  #run(command, args, exitCode) {
    const { status, error, stdout, stderr } = spawnSync(command, args, {
      cwd: this.project,
      env: this.env,
      encoding: "utf8",
      timeout: 60_000,
    });
    if (error) throw error;
    if (stdout + stderr !== "") console.log(indent(stdout + stderr));
    if (status !== exitCode)
      throw new Error(`${command} ended with ${status}, expected ${exitCode}`);
    if (status !== 0) console.log(paint("dim", `    (exit code ${status})`));
    return stdout;
  }

  fingerprint() {
    const gitDir = join(this.project, ".git");
    return takeFingerprint({ project: this.project, gitDir, commonDir: gitDir, env: this.env });
  }

  /**
   * Says whether the project is as it was, and remembers if it is not.
   * @param {string} claim @param {Fingerprint} wanted @param {{ strict?: boolean }} [options]
   */
  async claim(claim, wanted, options) {
    this.verdict(claim, differences(wanted, await this.fingerprint(), options));
  }

  /** @param {string} claim @param {string[]} problems */
  verdict(claim, problems) {
    if (problems.length === 0) return console.log(paint("green", `  ok: ${claim}`));
    this.failures.push(claim);
    console.log(paint("red", `  WRONG: ${claim}`));
    for (const problem of problems) console.log(paint("red", `    ${problem}`));
  }
}

/** @param {Demo} demo */
async function tour(demo) {
  demo.step("A repository with two commits.");
  demo.shell(SET_UP);

  demo.step("You are in the middle of something: staged, unstaged, untracked and ignored work.");
  demo.shell(WORK);
  demo.shell("git status --short --branch --ignored");
  const before = await demo.fingerprint();

  demo.step("Create a checkpoint before the agent starts.");
  const id = /cp-\S+/.exec(demo.waymark(["create", "before the agent"]))?.[0] ?? "";
  await demo.claim("create touched nothing: no file, no time stamp, not the index", before, {
    strict: true,
  });

  demo.step("The agent goes wild.");
  demo.shell(WRECK);
  const wrecked = await demo.fingerprint();
  const damage = differences(before, wrecked);
  demo.verdict(
    `the project is wrecked: ${damage.length} differences in files, index and branch`,
    damage.length > 0 ? [] : ["nothing differs"],
  );

  demo.step("What git sees now: your work is not in it.");
  demo.shell("git status --short --branch\ngit log --oneline");

  demo.step("See what a rollback would do. It changes nothing yet.");
  demo.waymark(["rollback", id, "--dry-run"]);
  await demo.claim("the dry run changed nothing", wrecked, { strict: true });

  demo.step("Commits never leave a branch unasked: without a terminal to ask on, it refuses.");
  demo.waymark(["rollback", id, "--yes"], 5);
  await demo.claim("the refusal changed nothing", wrecked);

  demo.step("Roll back.");
  demo.waymark(["rollback", id, "--yes", "--discard-commits"]);
  demo.shell("git status --short --branch --ignored\ngit log --oneline");
  await demo.claim(
    "every file, mode, empty folder, index entry, HEAD and branch is as before",
    before,
  );

  demo.step(
    "Changed your mind? A rollback can be undone: the work of the agent is restored, its commit too.",
  );
  demo.waymark(["undo", "--yes"]);
  await demo.claim("everything is as the agent left it", wrecked);

  demo.step("And done again.");
  demo.waymark(["redo", "--yes"]);
  await demo.claim("everything is as before the agent", before);

  demo.step("Each of these steps created a checkpoint first, so nothing is ever lost.");
  demo.waymark(["list", "--all"]);

  demo.step("Check every object of every checkpoint.");
  demo.waymark(["validate"]);
}

async function main() {
  const { values } = parseArgs({ options: { keep: { type: "boolean", default: false } } });
  if (!existsSync(BIN)) throw new Error("dist/bin.cjs is not there: run `npm run build` first");
  const folder = realpathSync(mkdtempSync(join(tmpdir(), "waymark-demo-")));
  const started = Date.now();
  try {
    const demo = new Demo(folder);
    console.log(`In ${demo.project}; \`waymark\` stands for \`node dist/bin.cjs\`.`);
    await tour(demo);
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log();
    if (demo.failures.length > 0)
      throw new Error(`not as claimed: ${demo.failures.join("; ")} (see above)`);
    console.log(paint("green", `Everything was as claimed (${seconds} s).`));
  } finally {
    if (values.keep) console.log(`Kept: ${folder}`);
    else rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

// Ctrl+C ends the running child, and that error leads to the clean-up.
process.on("SIGINT", () => {});
try {
  await main();
} catch (error) {
  console.error(paint("red", `demo: ${/** @type {Error} */ (error).message}`));
  process.exitCode = 1;
}
