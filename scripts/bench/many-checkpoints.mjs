// What 1,000 checkpoints cost: listing them, and the user's own git commands beside a repository without any.
import { cpSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { floorCases } from "./contenders.mjs";
import { buildRepository } from "./repository.mjs";

/** @typedef {import("./measure.mjs").Case} Case */
/** @typedef {import("./process.mjs").Tools} Tools */

export const LIST = "**`waymark list`**";
const SMALL = 200;
const MAKER = fileURLToPath(new URL("make-checkpoints.mjs", import.meta.url));

/** @param {Tools} tools @param {string} folder @param {number} checkpoints */
export function buildPair(tools, folder, checkpoints) {
  const without = withRemote(tools, join(folder, "without"));
  const many = withRemote(tools, join(folder, "with"));
  const [file = ""] = many.modified;
  tools.node(many.folder, MAKER, many.folder, file, String(checkpoints));
  return { without: without.folder, many: many.folder };
}

/** @param {Tools} tools @param {string} folder */
function withRemote(tools, folder) {
  const repository = buildRepository(tools, folder, SMALL);
  const remote = `${folder}-remote.git`;
  tools.git(folder, "clone", "-q", "--bare", folder, remote);
  tools.git(folder, "remote", "add", "origin", remote);
  tools.git(folder, "fetch", "-q", "origin");
  tools.git(folder, "branch", "-q", "--set-upstream-to=origin/main");
  return repository;
}

/** @param {Tools} tools @param {string} folder @param {number} checkpoints @returns {Case[]} */
export function listCases(tools, folder, checkpoints) {
  /** @param {number} most */
  const hasLines = (most) => (/** @type {string} */ output) =>
    output.trim().split("\n").length === Math.min(most, checkpoints);
  return [
    ...floorCases(tools, folder),
    {
      name: "`git for-each-ref refs/waymark`",
      run: () => tools.git(folder, "for-each-ref", "refs/waymark/cp"),
      check: hasLines(Infinity),
    },
    { name: LIST, run: () => tools.waymark(folder, "list"), check: hasLines(Infinity) },
    {
      name: "`waymark list --limit 20`",
      run: () => tools.waymark(folder, "list", "--limit", "20"),
      check: hasLines(20),
    },
    {
      name: "`waymark list --json`",
      run: () => tools.waymark(folder, "list", "--json"),
      check: (output) => JSON.parse(output).checkpoints.length === checkpoints,
    },
  ];
}

const USER_COMMANDS = [
  ["status"],
  ["log", "-5", "--decorate"],
  ["fetch", "origin"],
  ["push", "--dry-run", "origin", "main"],
];

/** @param {string[]} args */
const title = (args) => `\`git ${args.join(" ")}\``;

/** The name of a user's command where there are no checkpoints. @param {string} name */
export const withoutAny = (name) => `${name}, without`;

export const USER_CASES = [...USER_COMMANDS, ["gc"]].map(title);

/** @param {Tools} tools @param {{ without: string, many: string }} pair @returns {Case[]} */
export function userCases(tools, { without, many }) {
  return [
    ...USER_COMMANDS.flatMap((args) => [
      { name: withoutAny(title(args)), run: () => tools.git(without, ...args) },
      { name: title(args), run: () => tools.git(many, ...args) },
    ]),
    gcCase(tools, withoutAny(title(["gc"])), without),
    gcCase(tools, title(["gc"]), many),
  ];
}

/** On a copy, so that each one is the first. @param {Tools} tools @param {string} name @param {string} folder @returns {Case} */
function gcCase(tools, name, folder) {
  const copy = `${folder}-gc.git`;
  return {
    name,
    prepare: () => {
      rmSync(copy, { recursive: true, force: true });
      cpSync(join(folder, ".git"), copy, { recursive: true, preserveTimestamps: true });
    },
    run: () => tools.git(folder, `--git-dir=${copy}`, "gc", "--quiet"),
  };
}

/** Loose objects, packs and their size, in words. @param {Tools} tools @param {string} folder */
export function describeObjects(tools, folder) {
  const text = tools.git(folder, "count-objects", "-v");
  const number = (/** @type {string} */ key) =>
    Number(new RegExp(`^${key}: (\\d+)$`, "m").exec(text)?.[1] ?? NaN);
  const mib = ((number("size") + number("size-pack")) / 1024).toFixed(1);
  return `${number("packs")} packs, ${number("count")} loose objects, ${mib} MiB`;
}
