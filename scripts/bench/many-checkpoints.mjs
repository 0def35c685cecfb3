// What 1,000 checkpoints cost: listing them, and the user's own git commands beside a repository without any.
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { floorCases } from "./contenders/floor.mjs";
import { buildRepository } from "./repository.mjs";

/** @typedef {import("./measure.mjs").Case} Case */
/** @typedef {import("./process.mjs").Tools} Tools */

export const LIST = "**`waymark list`**";
/** Fewer of them, to see how it grows. */
const FEWER = [10, 100];

/** @param {number} count */
const listOf = (count) => `\`waymark list\` of ${count}`;
const SMALL = 200;
const MAKER = fileURLToPath(new URL("make-checkpoints.mjs", import.meta.url));

/** @param {Tools} tools @param {string} folder @param {number} checkpoints */
export function buildPair(tools, folder, checkpoints) {
  const without = withRemote(tools, join(folder, "without"));
  const many = withRemote(tools, join(folder, "with"));
  makeCheckpoints(tools, many, checkpoints);
  const tagged = buildRepository(tools, join(folder, "tagged"), SMALL);
  makeTags(tools, tagged.folder, checkpoints);
  const fewer = FEWER.filter((count) => count < checkpoints).map((count) => {
    const repository = buildRepository(tools, join(folder, `with-${count}`), SMALL);
    makeCheckpoints(tools, repository, count);
    return { count, folder: repository.folder };
  });
  return { without: without.folder, many: many.folder, tagged: tagged.folder, fewer };
}

/** What other tools keep their checkpoints' descriptions in. @param {Tools} tools @param {string} folder @param {number} count */
function makeTags(tools, folder, count) {
  const who = "tagger Fixture <fixture@example.invalid> 1700000000 +0000\n";
  const tags = Array.from(
    { length: count },
    (_, number) => `tag checkpoint-${number}\nfrom refs/heads/main^0\n${who}data 3\n{}\n\n`,
  );
  tools.run("git", ["fast-import", "--quiet", "--done"], {
    cwd: folder,
    input: Buffer.from(`${tags.join("")}done\n`),
  });
}

/** @param {Tools} tools @param {import("./repository.mjs").Repository} repository @param {number} count */
export function makeCheckpoints(tools, { folder, modified }, count) {
  tools.node(folder, MAKER, folder, modified[0] ?? "", String(count));
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

/** @typedef {ReturnType<typeof buildPair>} Pair */

/** @param {Tools} tools @param {Pair} pair @param {number} checkpoints @returns {Case[]} */
export function listCases(tools, { many, tagged, fewer }, checkpoints) {
  /** @param {number} lines */
  const hasLines = (lines) => (/** @type {string} */ output) =>
    output.trim().split("\n").length === lines;
  return [
    ...floorCases(tools, many),
    {
      name: "`git for-each-ref refs/waymark`",
      run: () => tools.git(many, "--git-dir=.git/waymark/store", "for-each-ref", "refs/waymark/cp"),
      check: hasLines(checkpoints),
    },
    {
      name: "`git tag -l -n1`, annotated tags",
      run: () => tools.git(tagged, "tag", "-l", "-n1"),
      check: hasLines(checkpoints),
    },
    ...fewer.map(({ count, folder }) => ({
      name: listOf(count),
      run: () => tools.waymark(folder, "list"),
      check: hasLines(count),
    })),
    { name: LIST, run: () => tools.waymark(many, "list"), check: hasLines(checkpoints) },
    {
      name: "`waymark list --limit 20`",
      run: () => tools.waymark(many, "list", "--limit", "20"),
      check: hasLines(Math.min(20, checkpoints)),
    },
    {
      name: "`waymark list --json`",
      run: () => tools.waymark(many, "list", "--json"),
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

/** @param {Tools} tools @param {Pair} pair @returns {Case[]} */
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

/** Loose objects, packs and their size, of repository and store, in words. @param {Tools} tools @param {string} folder */
export function describeObjects(tools, folder) {
  const gitDirs = [".git", ".git/waymark/store"].filter((path) => existsSync(join(folder, path)));
  const texts = gitDirs.map((path) =>
    tools.git(folder, `--git-dir=${path}`, "count-objects", "-v"),
  );
  const number = (/** @type {string} */ key) =>
    texts
      .map((text) => Number(new RegExp(`^${key}: (\\d+)$`, "m").exec(text)?.[1] ?? NaN))
      .reduce((sum, one) => sum + one);
  const mib = ((number("size") + number("size-pack")) / 1024).toFixed(1);
  return `${number("packs")} packs, ${number("count")} loose objects, ${mib} MiB`;
}
