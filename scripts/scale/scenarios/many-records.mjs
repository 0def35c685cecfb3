// Very many checkpoints, sessions, hook calls and lines of the audit log in a small repository.
import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { BIN } from "../../bench/process.mjs";
import { buildRepository, change } from "../../bench/repository.mjs";
import { seedCheckpoints, seedSessions } from "../seed.mjs";
import { changingSteps, createdId, lookingSteps, payload } from "./common.mjs";
import { importInto } from "./many-files.mjs";

const SMALL = 200;
const KEPT = 50;

/** @type {import("../scenarios.mjs").Scenario} */
export const checkpoints = {
  id: "checkpoints",
  size: 10_000,
  unit: "checkpoints",
  bytesPerItem: 40_000,
  build: (site, size) => {
    const { tools, project } = site;
    const repository = buildRepository(tools, project, SMALL);
    tools.waymark(project, "create");
    const [file = ""] = repository.modified;
    seedCheckpoints(tools, project, file, size);
    /** @param {string} name */
    const archive = (name) => site.beside(name);
    const made = { id: "" };
    const edit = () => change(repository, [file]);
    return [
      ...changingSteps(site, "the next `create`", edit, made),
      { name: "`undo`", args: ["undo", "--yes"], once: true },
      ...lookingSteps(site, () => made.id),
      {
        name: "`list --json`",
        args: ["list", "--json"],
        check: ({ stdout }) => JSON.parse(stdout).checkpoints.length > size,
      },
      {
        name: "`validate` of all",
        args: ["validate"],
        once: true,
        check: ({ stdout }) => / 0 invalid\n/.test(stdout),
      },
      {
        name: "`export` of all",
        prepare: () => rmSync(archive("all.waymark"), { force: true }),
        args: ["export", "-o", archive("all.waymark")],
        once: true,
      },
      { ...importInto(site, "all.waymark"), once: true },
      {
        name: `\`cleanup --keep ${KEPT}\``,
        args: ["cleanup", "--keep", String(KEPT), "--yes"],
        once: true,
      },
      {
        name: "`cleanup --now`, empties the trash",
        args: ["cleanup", "--now", "--keep", String(KEPT), "--yes"],
        once: true,
      },
      { name: "`list` afterwards", args: ["list"], flat: true },
    ];
  },
};

/** @type {import("../scenarios.mjs").Scenario} */
export const sessions = {
  id: "sessions",
  size: 1000,
  unit: "sessions",
  bytesPerItem: 40_000,
  build: (site, size) => {
    const { tools, project } = site;
    const repository = buildRepository(tools, project, SMALL);
    const started = tools.waymark(
      project,
      "session",
      "start",
      "--type",
      "implement",
      "--project",
      "scale",
      "--json",
    );
    const own = JSON.parse(started).session.id;
    seedSessions(tools, project, own, size);
    const made = { id: "" };
    const edit = () => change(repository, repository.modified.slice(0, 1));
    return [
      ...changingSteps(site, "first `create`", edit, made),
      ...lookingSteps(site, () => made.id),
      { name: "`session show`", args: ["session", "show", own] },
      { name: "`resume --dry-run`", args: ["resume", "--dry-run"] },
    ];
  },
};

/** @type {import("../scenarios.mjs").Scenario} */
export const hookCalls = {
  id: "hooks",
  size: 2000,
  unit: "hook calls in one agent session",
  bytesPerItem: 40_000,
  build: (site, size) => {
    const { tools, project } = site;
    const repository = buildRepository(tools, project, SMALL);
    const [file = ""] = repository.modified;
    /** @type {string | undefined} */ let made;
    /** @param {string} tool */
    const call = (tool) =>
      tools.run(process.execPath, [BIN, "hook", "claude"], {
        cwd: project,
        input: Buffer.from(payload(site, tool, file)),
      });
    for (let number = 0; number < size; number++) {
      change(repository, [file]);
      call("Write");
    }
    return [
      {
        name: "`hook`, one file changed",
        prepare: () => change(repository, [file]),
        args: ["hook", "claude"],
        input: () => payload(site, "Write", file),
        flat: true,
      },
      ...lookingSteps(site, () => (made ??= createdId(site))),
      {
        name: "`rollback --only-session`",
        args: ["rollback", "--only-session", "scale", "--dry-run"],
      },
    ];
  },
};

/** As the last of them would be kept: in the log and its older files. */
const LOG_FILES = ["audit.log", "audit.log.1", "audit.log.2", "audit.log.3"];

/** @type {import("../scenarios.mjs").Scenario} */
export const auditLog = {
  id: "audit",
  size: 100_000,
  unit: "lines in the audit log",
  bytesPerItem: 4000,
  build: (site, size) => {
    const { tools, project } = site;
    const repository = buildRepository(tools, project, SMALL);
    tools.waymark(project, "create");
    const folder = join(project, ".git/waymark");
    const [line = ""] = readFileSync(join(folder, "audit.log"), "utf8").split("\n");
    const entry = JSON.parse(line);
    for (const [at, name] of LOG_FILES.entries()) {
      const lines = Array.from({ length: size / LOG_FILES.length }, (_, number) => {
        const age = at * size + (size - number);
        const time = new Date(Date.parse(entry.at) - age * 1000).toISOString();
        return JSON.stringify({
          ...entry,
          at: time,
          checkpoint_ids: [`cp-00-manual-${number}-${at}`],
        });
      });
      // The newest file is small, so that no step of this renames the others.
      if (at === 0) appendFileSync(join(folder, name), `${lines.slice(-100).join("\n")}\n`);
      else writeFileSync(join(folder, name), `${lines.join("\n")}\n`);
    }
    return [
      {
        name: "`create`, one file changed",
        prepare: () => change(repository, repository.modified.slice(0, 1)),
        args: ["create"],
        flat: true,
      },
      { name: "`log`", args: ["log"] },
      { name: "`log --limit 20`", args: ["log", "--limit", "20"] },
      { name: "`log --failed --json`", args: ["log", "--failed", "--json"] },
      { name: "`list`", args: ["list"], flat: true },
      { name: "`doctor`", args: ["doctor"], flat: true },
    ];
  },
};
