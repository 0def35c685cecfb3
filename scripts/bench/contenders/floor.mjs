// The least that any tool of this kind has to do: look at the work tree, and start.

/** @typedef {import("../measure.mjs").Case} Case */
/** @typedef {import("./contender.mjs").Place} Place */

export const STATUS = "`git status`";
export const NODE = "`node -e 0`";
export const FLOOR = "node + one `git status` (practical floor)";

const STATUS_ARGS = ["--no-optional-locks", "status", "--porcelain"];
const FLOOR_CODE = `const { status } = require("node:child_process").spawnSync("git",
  ["--no-optional-locks", "status", "--porcelain=v2", "--branch", "-z", "-uall"]);
process.exitCode = status;`;

/** @param {import("../process.mjs").Tools} tools @param {string} folder @returns {Case[]} */
export const floorCases = (tools, folder) => [
  { name: STATUS, run: () => tools.git(folder, ...STATUS_ARGS) },
  { name: NODE, run: () => tools.node(folder, "-e", "0") },
  { name: FLOOR, run: () => tools.node(folder, "-e", FLOOR_CODE) },
];
