// What is measured on a repository: Waymark, the floor under any tool of its kind, and what people use instead.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { timeOnce } from "./measure.mjs";
import { BIN } from "./process.mjs";
import { change, isIntact } from "./repository.mjs";

/** @typedef {import("./measure.mjs").Case} Case */
/** @typedef {import("./process.mjs").Tools} Tools */
/** @typedef {import("./repository.mjs").Repository} Repository */

export const STATUS = "`git status`";
export const NODE = "`node -e 0`";
export const FLOOR = "node + one `git status` (practical floor)";
export const CREATE = "**`waymark create`**";
export const ROLLBACK = "**`waymark rollback`**, 20 files";
export const ROLLBACK_INDEX = "**`waymark rollback`**, 20 files, 2 of them staged since";

const STATUS_ARGS = ["--no-optional-locks", "status", "--porcelain"];
const FLOOR_CODE = `const { status } = require("node:child_process").spawnSync("git",
  ["--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z", "-uall"]);
process.exitCode = status;`;

/** @param {Tools} tools @param {string} folder @returns {Case[]} */
export const floorCases = (tools, folder) => [
  { name: STATUS, run: () => tools.git(folder, ...STATUS_ARGS) },
  { name: NODE, run: () => tools.node(folder, "-e", "0") },
  { name: FLOOR, run: () => tools.node(folder, "-e", FLOOR_CODE) },
];

/** Three tracked files and an untracked one, so that there is something to store. @param {Repository} repository */
const changeFour = (repository) =>
  change(repository, [...repository.modified.slice(0, 3), ...repository.untracked.slice(0, 1)]);

/** @param {Tools} tools @param {Repository} repository @returns {Case[]} */
export function waymarkCases(tools, repository) {
  const { folder, modified } = repository;
  /** @param {string[]} args */
  const waymark = (...args) => tools.waymark(folder, ...args);
  /** Others changed files since: each case begins at a checkpoint of now. */
  const begin = () => waymark("create");
  const editFour = () => {
    begin();
    changeFour(repository);
  };
  /** @param {string} output */
  const created = (output) => output.startsWith("created ");
  return [
    { name: "`waymark --version`", run: () => waymark("--version") },
    { name: CREATE, prepare: editFour, run: () => waymark("create"), check: created },
    {
      name: "`waymark create --durability fast`",
      prepare: editFour,
      run: () => waymark("create", "--durability", "fast"),
      check: created,
    },
    {
      name: "`waymark create` after a `git add`",
      prepare: () => {
        editFour();
        tools.git(folder, "add", ...modified.slice(19));
        change(repository, modified.slice(19));
      },
      run: () => waymark("create"),
      check: created,
    },
    {
      name: "`waymark create`, nothing changed",
      prepare: begin,
      run: () => waymark("create"),
      check: (output) => output.startsWith("unchanged "),
    },
    rollbackCase(tools, repository, { name: ROLLBACK, staged: [] }),
    rollbackCase(tools, repository, { name: ROLLBACK_INDEX, staged: modified.slice(18) }),
  ];
}

export const HOOK_READS = "`waymark hook`, a tool that only reads";

/** What an agent waits for before each of its tools. @param {Tools} tools @param {Repository} repository @returns {Case[]} */
export function hookCases(tools, repository) {
  const { folder, modified } = repository;
  let calls = 0;
  /** @param {string} tool */
  const call = (tool) => {
    const payload = {
      session_id: "bench",
      cwd: folder,
      hook_event_name: "PreToolUse",
      tool_name: tool,
      tool_input: { file_path: `${folder}/${modified[0]}`, content: "x\n" },
      tool_use_id: `call-${calls++}`,
    };
    return tools.run(process.execPath, [BIN, "hook", "claude"], {
      cwd: folder,
      input: Buffer.from(JSON.stringify(payload)),
    });
  };
  const newest = () => tools.waymark(folder, "list", "--limit", "1");
  const begin = () => tools.waymark(folder, "create");
  let before = "";
  /** Hooks say nothing: what they did is seen in the list. @param {boolean} isNew */
  const took = (isNew) => (/** @type {string} */ output) =>
    output === "" && (newest() !== before) === isNew;
  /** @param {() => void} prepare */
  const after = (prepare) => () => {
    begin();
    prepare();
    before = newest();
  };
  return [
    { name: HOOK_READS, prepare: after(() => {}), run: () => call("Read"), check: took(false) },
    {
      name: "`waymark hook`, nothing changed",
      prepare: after(() => {}),
      run: () => call("Write"),
      check: took(false),
    },
    {
      name: "**`waymark hook`**, 20 files changed",
      prepare: after(() => change(repository, modified)),
      run: () => call("Write"),
      check: took(true),
    },
  ];
}

/**
 * @param {Tools} tools @param {Repository} repository @param {{ name: string, staged: string[] }} options
 * @returns {Case}
 */
function rollbackCase(tools, repository, { name, staged }) {
  const { folder, modified } = repository;
  const read = () => modified.map((path) => readFileSync(join(folder, path), "utf8")).join("");
  let id = "";
  let before = "";
  return {
    name,
    prepare: () => {
      id = tools.waymark(folder, "create", "--force").trim().split(" ").at(-1) ?? "";
      before = read();
      change(repository, modified);
      if (staged.length > 0) tools.git(folder, "add", ...staged);
    },
    run: () => tools.waymark(folder, "rollback", id, "--yes"),
    check: () => read() === before && isIntact(tools, repository),
  };
}

/**
 * These rewrite the index or the work tree, so they get a repository of their own.
 * @param {Tools} tools @param {Repository} repository @returns {Case[]}
 */
export function stashCases(tools, repository) {
  const { folder } = repository;
  const edit = () => changeFour(repository);
  return [
    {
      name: "`git stash create` (no untracked files)",
      prepare: edit,
      run: () => tools.git(folder, "stash", "create"),
      check: (output) => output !== "",
    },
    {
      name: "`git stash push -u`, `apply --index`, `drop`",
      prepare: edit,
      run: () => {
        tools.git(folder, "stash", "push", "-q", "-u");
        tools.git(folder, "stash", "apply", "-q", "--index");
        return tools.git(folder, "stash", "drop", "-q");
      },
      check: () => isIntact(tools, repository),
    },
  ];
}

/**
 * A second repository over the same work tree, as several tools keep it.
 * @param {Tools} tools @param {Repository} repository @param {string} gitDir @returns {Case}
 */
export function shadowCase(tools, repository, gitDir) {
  const { folder } = repository;
  const at = [`--git-dir=${gitDir}`, `--work-tree=${folder}`, "-c", "gc.auto=0"];
  return {
    name: "shadow repository: `git add -A`, `git commit`",
    prepare: () => changeFour(repository),
    run: () => {
      tools.git(folder, ...at, "add", "-A");
      return tools.git(folder, ...at, "commit", "-m", "checkpoint");
    },
    check: (output) => output.includes("checkpoint"),
  };
}

/**
 * What only the first time costs, as it is measured once on a fresh repository.
 * @param {Tools} tools @param {Repository} repository @param {string} gitDir
 * @returns {Map<string, number>}
 */
export function timeFirst(tools, repository, gitDir) {
  const { folder } = repository;
  tools.git(folder, "init", "-q", "--bare", gitDir);
  return new Map([
    [
      "`waymark create`, the first in a repository",
      timeOnce({ name: "first create", run: () => tools.waymark(folder, "create") }),
    ],
    ["shadow repository, the first commit", timeOnce(shadowCase(tools, repository, gitDir))],
  ]);
}
