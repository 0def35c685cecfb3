// What `waymark show` prints for doing it by hand: it works as it is, in any folder, and changes nothing when it cannot.
import { execFileSync, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { hasProgram } from "../support/find-program.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

const DATABASE = "odd  'name'.db";
const STATE = "flow dir/it's state.yml";

const sql = ({ repo }: RuleProject, statements: string): string =>
  execFileSync("sqlite3", ["-batch", join(repo.root, DATABASE)], {
    input: statements,
    encoding: "utf8",
  });

/** The commands of the page, as a person copies them. */
async function printedCommands({ repo }: RuleProject, id: string): Promise<string[]> {
  const result = await runCommand(process.execPath, waymarkArguments(repo.root, "show", id), {
    cwd: repo.base,
    env: cliEnvironment(repo.env),
  });
  return result.stdout
    .toString("utf8")
    .split("\n")
    .filter((line) => line.startsWith("      ("))
    .map((line) => line.trim());
}

/** In a new shell, in a folder that has nothing to do with the project. */
function run({ repo }: RuleProject, command: string, path: string): number | null {
  const cwd = join(repo.base, "elsewhere");
  mkdirSync(cwd, { recursive: true });
  const env = { ...repo.env, PATH: path };
  const { status } = spawnSync("sh", ["-c", command], { cwd, env });
  expect(readdirSync(cwd)).toEqual([]);
  return status;
}

const isPlain = { "a git work tree": false, "a plain folder": true };

describe.skipIf(!hasProgram("sqlite3"))("commands by hand", () => {
  it.each(Object.entries(isPlain))("bring a database and a state back in %s", (_name, plain) =>
    withSeed(async (project) => {
      const { repo } = project;
      if (plain) await repo.remove(".git");
      const state = join(repo.root, STATE);
      await repo.write(STATE, "step: 1\n");
      sql(project, "CREATE TABLE t (a); INSERT INTO t VALUES (1);");
      const id = await project.create("--state", state, "--database", join(repo.root, DATABASE));
      await repo.write(STATE, "step: 2\n");
      sql(project, "DELETE FROM t; CREATE TABLE later (x);");
      const look = async (): Promise<unknown> => [
        (await repo.read(STATE)).toString("utf8"),
        sql(project, ".dump"),
        readdirSync(repo.root),
      ];
      const changed = await look();
      const commands = await printedCommands(project, id);
      expect(commands).toHaveLength(2);
      const path = process.env["PATH"] ?? "";
      const git = join(repo.base, "no-git");
      mkdirSync(git);
      for (const script of ["exit 128", "exit 0", "echo half"]) {
        writeFileSync(join(git, "git"), `#!/bin/sh\n${script}\n`);
        chmodSync(join(git, "git"), 0o755);
        for (const command of commands) expect(run(project, command, `${git}:${path}`)).not.toBe(0);
        expect(await look()).toEqual(changed);
      }
      for (const command of commands) expect(run(project, command, path)).toBe(0);
      expect((await repo.read(STATE)).toString("utf8")).toBe("step: 1\n");
      expect(sql(project, "SELECT a FROM t; SELECT name FROM sqlite_master;")).toBe("1\nt\n");
      await rm(join(repo.root, "flow dir"), { recursive: true });
      for (const command of commands) expect(run(project, command, path)).toBe(0);
      expect((await repo.read(STATE)).toString("utf8")).toBe("step: 1\n");
    }),
  );
});
