// Records a session of the built command in a pseudo terminal of 80 columns and puts it into README.md, between the
// markers `recording:start` and `recording:end`. Every line is what the programs printed; only ids and times vary.
//
//   npm run docs:recording
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { stripVTControlCharacters } from "node:util";
import { cleanEnvironment } from "./faults/process.mjs";

const root = fileURLToPath(new URL("../", import.meta.url));
const README = join(root, "README.md");
const START = "<!-- recording:start -->";
const END = "<!-- recording:end -->";

const SET_UP = `git init -q -b main .
git config user.name "Ann" && git config user.email "ann@example.invalid"
mkdir src && printf 'export const parse = (text) => text;\\n' > src/parser.js
printf 'export const lex = (text) => [...text];\\n' > src/lexer.js
git add -A && git commit -q -m "first version"
printf 'export const VERSION = 2;\\n' >> src/parser.js && git add src/parser.js
printf 'an idea, only here\\n' > notes.txt`;

const SESSION = [
  'waymark create "before the agent"',
  'rm -r src/lexer.js notes.txt && git commit -qam "agent: simplify"',
  'waymark create "after the agent"',
  "waymark list",
  "waymark rollback latest~1",
  "waymark undo --yes",
];

/** Typed when the program asks. */
const QUESTION = "[y/N] ";
/** Longer than any of these commands takes: then it waits for something that nobody types. */
const TIME_LIMIT_MS = 30_000;
const ANSWER = "y";

/** @param {string} folder */
function surroundings(folder) {
  for (const name of ["bin", "home", "parser"]) mkdirSync(join(folder, name));
  const waymark = join(folder, "bin", "waymark");
  writeFileSync(
    waymark,
    `#!/bin/sh\nexec "${process.execPath}" "${join(root, "dist/bin.cjs")}" "$@"\n`,
  );
  chmodSync(waymark, 0o755);
  const { PATH, ...clean } = cleanEnvironment(join(folder, "home"));
  const when = "2026-01-05T09:00:00Z";
  return {
    ...clean,
    PATH: `${join(folder, "bin")}:${PATH ?? ""}`,
    TERM: "xterm",
    GIT_AUTHOR_DATE: when,
    GIT_COMMITTER_DATE: when,
  };
}

/**
 * One command line in a terminal; script(1) makes one.
 * @param {string} line @param {string} cwd @param {NodeJS.ProcessEnv} env
 * @returns {Promise<string>}
 */
function inTerminal(line, cwd, env) {
  return new Promise((resolve, reject) => {
    const command = `stty cols 80 rows 24; ${line}`;
    const child = spawn("script", ["-qec", command, "/dev/null"], {
      cwd,
      env,
      timeout: TIME_LIMIT_MS,
      killSignal: "SIGKILL",
    });
    let shown = "";
    let isAnswered = false;
    child.stdout.on("data", (chunk) => {
      shown += chunk.toString("utf8");
      if (isAnswered || !shown.includes(QUESTION)) return;
      isAnswered = true;
      child.stdin.write(`${ANSWER}\r`);
    });
    child.on("error", reject);
    child.on("close", (code) => {
      if (code === 0) resolve(tidy(shown));
      else reject(new Error(`${line} ended with ${code}:\n${shown}`));
    });
  });
}

/** What is left to see on the screen: no colours, no lines that were drawn over. @param {string} shown */
function tidy(shown) {
  // Readline goes to the first column by a code of its own before it draws the line again.
  const plain = stripVTControlCharacters(shown.replaceAll("\u001B[1G", "\r"));
  return plain
    .replaceAll(/\r+\n/g, "\n")
    .split("\n")
    .map((line) => (line.split("\r").at(-1) ?? "").trimEnd())
    .join("\n")
    .trimEnd();
}

async function record() {
  const folder = mkdtempSync(join(tmpdir(), "waymark-recording-"));
  try {
    const env = surroundings(folder);
    const project = join(folder, "parser");
    const { status, stderr } = spawnSync("sh", ["-ec", SET_UP], {
      cwd: project,
      env,
      encoding: "utf8",
    });
    if (status !== 0) throw new Error(`the set-up failed: ${stderr}`);
    const lines = [];
    for (const command of SESSION) {
      lines.push(`$ ${command}`);
      const shown = await inTerminal(command, project, env);
      if (shown !== "") lines.push(shown);
    }
    return lines.join("\n");
  } finally {
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  }
}

const readme = readFileSync(README, "utf8");
const from = readme.indexOf(START);
const to = readme.indexOf(END);
if (from < 0 || to < from) throw new Error(`README.md needs the lines ${START} and ${END}`);
const recording = `${START}\n\`\`\`console\n${await record()}\n\`\`\`\n`;
writeFileSync(README, readme.slice(0, from) + recording + readme.slice(to));
console.log(recording);
