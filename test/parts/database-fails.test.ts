// The database is the last part of a rollback. When it cannot be restored, the files go back.
import { spawn } from "node:child_process";
import { once } from "node:events";
import { describe, expect, it } from "vitest";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { differences } from "../support/fingerprint-diff.ts";
import { takeFingerprint } from "../support/fingerprint.ts";
import { hasProgram } from "../support/find-program.ts";
import { expectExit } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";

const hasSqlite = hasProgram("sqlite3");
if (!hasSqlite) console.warn("a database that fails: skipped, sqlite3 is missing");

async function sql({ repo }: RuleProject, text: string): Promise<string> {
  const result = await runCommand("sqlite3", ["app.db", text], { cwd: repo.root, env: repo.env });
  return result.stdout.toString("utf8");
}

/** A program that reads the database and does not end: others can read, nobody can write. */
async function reading({ repo }: RuleProject): Promise<() => Promise<void>> {
  const child = spawn("sqlite3", ["app.db"], { cwd: repo.root, stdio: ["pipe", "pipe", "ignore"] });
  child.stdin.write("begin; select count(*) from t;\n");
  await once(child.stdout, "data");
  return async () => {
    child.stdin.end("commit;\n");
    await once(child, "close");
  };
}

describe.skipIf(!hasSqlite)("a rollback whose database cannot be restored", () => {
  it(
    "[R72] puts the files and the state back, and works when the database is free",
    () =>
      withSeed(async (project) => {
        const { repo } = project;
        await repo.write("flow.yml", "step: 1\n");
        await sql(project, "create table t (a); insert into t values (1);");
        const root = repo.root;
        const id = await project.create(
          "--state",
          `${root}/flow.yml`,
          "--database",
          `sqlite:${root}/app.db`,
        );
        await repo.write("flow.yml", "step: 2\n");
        await repo.write("new.txt", "new\n");
        await sql(project, "insert into t values (2);");
        const before = await takeFingerprint(repo);
        const stop = await reading(project);
        const failed = await project.run("rollback", id, "--yes");
        expectExit(failed, 1, 6);
        expect(differences(await takeFingerprint(repo), before)).toEqual([]);
        await stop();
        expect(await sql(project, "select a from t")).toBe("1\n2\n");
        await project.rollBack(id);
        expect(await sql(project, "select a from t")).toBe("1\n");
        expect((await repo.read("flow.yml")).toString("utf8")).toBe("step: 1\n");
        expect(await repo.exists("new.txt")).toBe(false);
        await project.ok("undo", "--yes");
        expect(await sql(project, "select a from t")).toBe("1\n2\n");
        expect(await repo.exists("new.txt")).toBe(true);
      }),
    90_000,
  );
});
