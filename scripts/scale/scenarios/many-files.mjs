// Very many files that one rollback removes, brings back or exchanges.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { buildRepository } from "../../bench/repository.mjs";
import { createdId, lookingSteps } from "./common.mjs";

const PER_FOLDER = 100;
const SMALL = 200;
const FOLDER = "generated";

/** @param {string} root @param {number} count @param {string} word */
function writeFiles(root, count, word) {
  for (let number = 0; number < count; number++) {
    const folder = join(root, FOLDER, `folder-${Math.floor(number / PER_FOLDER)}`);
    if (number % PER_FOLDER === 0) mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `file-${number}.txt`), textOf(number, word));
  }
}

/** @param {number} number @param {string} word */
const textOf = (number, word) => `${word} ${number}\n`.repeat(20);

/** True, or which file is not as it should be. @param {string} root @param {number} count @param {string} word */
function holds(root, count, word) {
  for (let number = 0; number < count; number++) {
    const path = `${FOLDER}/folder-${Math.floor(number / PER_FOLDER)}/file-${number}.txt`;
    try {
      if (readFileSync(join(root, path), "utf8") !== textOf(number, word)) return `${path} differs`;
    } catch {
      return `${path} is missing`;
    }
  }
  return true;
}

/** @type {import("../scenarios.mjs").Scenario} */
export const untrackedFiles = {
  id: "untracked",
  size: 100_000,
  unit: "untracked files",
  bytesPerItem: 6000,
  build: (site, size) => {
    const { tools, project } = site;
    buildRepository(tools, project, SMALL);
    const before = createdId(site);
    let id = "";
    writeFiles(project, size, "new");
    const isGone = () => !readdirSync(project).includes(FOLDER);
    return [
      {
        name: "`create`, all of them new",
        args: ["create", "--json"],
        once: true,
        check: ({ stdout }) => {
          id = JSON.parse(stdout).checkpoint.id;
          return true;
        },
      },
      ...lookingSteps(site, () => id),
      {
        name: "`rollback`, removes all",
        args: ["rollback", before, "--yes"],
        once: true,
        check: isGone,
      },
      {
        name: "`undo`, brings all back",
        args: ["undo", "--yes"],
        once: true,
        check: () => holds(project, size, "new"),
      },
      {
        name: "`export` of all",
        prepare: () => rmSync(site.beside("all.waymark"), { force: true }),
        args: ["export", "-o", site.beside("all.waymark")],
      },
      importInto(site, "all.waymark"),
    ];
  },
};

/** @type {import("../scenarios.mjs").Scenario} */
export const changedFiles = {
  id: "changed",
  size: 100_000,
  unit: "changed files",
  bytesPerItem: 6000,
  build: (site, size) => {
    const { tools, project } = site;
    buildRepository(tools, project, SMALL);
    writeFiles(project, size, "committed");
    tools.git(project, "add", FOLDER);
    tools.git(project, "commit", "-q", "-m", "generated", "--", FOLDER);
    const before = createdId(site);
    writeFiles(project, size, "changed");
    return [
      { name: "`create`, all of them changed", args: ["create"], once: true },
      {
        name: "`rollback` of all",
        args: ["rollback", before, "--yes"],
        once: true,
        check: () => holds(project, size, "committed"),
      },
      {
        name: "`undo`",
        args: ["undo", "--yes"],
        once: true,
        check: () => holds(project, size, "changed"),
      },
      {
        name: "`redo`",
        args: ["redo", "--yes"],
        once: true,
        check: () => holds(project, size, "committed"),
      },
      {
        name: "`create`, nothing changed since",
        prepare: () => tools.waymark(project, "create"),
        args: ["create"],
        check: ({ stdout }) => stdout.startsWith("unchanged "),
      },
    ];
  },
};

/** Into a clone, as on another machine. @param {import("../site.mjs").Site} site @param {string} archive @returns {import("../site.mjs").Step} */
export function importInto(site, archive) {
  const clone = site.beside("clone");
  return {
    name: "`import` into a clone",
    prepare: () => {
      rmSync(clone, { recursive: true, force: true });
      site.tools.git(site.project, "clone", "-q", site.project, clone);
    },
    args: ["-C", clone, "import", site.beside(archive)],
  };
}
