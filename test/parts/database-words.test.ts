// What people read about databases that are held.
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { cliEnvironment, errorMessage, expectExit, waymarkArguments } from "../support/cli.ts";
import { hasProgram } from "../support/find-program.ts";
import { items, text } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

const sql = ({ repo }: RuleProject, name: string, statements: string): string =>
  execFileSync("sqlite3", ["-batch", join(repo.root, name)], {
    input: statements,
    encoding: "utf8",
  });

/** As a person sees it. */
async function said({ repo }: RuleProject, ...args: string[]) {
  const result = await runCommand(process.execPath, waymarkArguments(repo.root, ...args), {
    cwd: repo.root,
    env: cliEnvironment(repo.env),
  });
  return { stdout: result.stdout.toString("utf8"), stderr: result.stderr };
}

describe.skipIf(!hasProgram("sqlite3"))("what is said about databases", () => {
  it("names each of several, and what happened to it", () =>
    withSeed(async (project) => {
      sql(project, "one.db", "CREATE TABLE t (a);");
      sql(project, "two.db", "CREATE TABLE t (a);");
      const id = await project.create("--database", "sqlite:one.db", "sqlite:two.db");
      sql(project, "two.db", "INSERT INTO t VALUES (1);");
      const { stdout } = await said(project, "rollback", id, "--yes");
      expect(stdout).toContain("  database one.db: unchanged\n");
      expect(stdout).toContain("  database two.db: 1 change reverted\n");
    }));

  it("says of an imported one that it was not touched, and nothing else", () =>
    withSeed(async (project) => {
      const { repo } = project;
      sql(project, "app.db", "CREATE TABLE t (a);");
      const id = await project.create("--database", "sqlite:app.db");
      await project.ok("export", id, "-o", "../db.bundle", "--include-databases");
      const clone = project.at("clone");
      await repo.git("clone", "-q", repo.root, clone.repo.root);
      await clone.ok("import", join(repo.base, "db.bundle"));
      sql(clone, "app.db", "CREATE TABLE mine (a);");
      const { stdout, stderr } = await said(clone, "rollback", id, "--yes", "--discard-commits");
      const reason = "rollbacks to imported checkpoints never change databases";
      expect(stdout).toContain(`  files: unchanged\n  database: not restored: ${reason}\n`);
      expect(stdout).not.toContain("Nothing differs");
      expect(stdout).not.toContain("as it should be");
      expect(stderr).toContain(`app.db was not restored: ${reason}`);
    }));

  it("restores a database alone, and undoes that alone", () =>
    withSeed(async (project) => {
      const { repo } = project;
      const rows = (): string => sql(project, "app.db", "SELECT count(*) FROM t;").trim();
      sql(project, "app.db", "CREATE TABLE t (a);");
      const id = await project.create(
        "--type",
        "database_savepoint",
        "--database",
        "sqlite:app.db",
      );
      sql(project, "app.db", "INSERT INTO t VALUES (1);");
      await repo.write("a.txt", "later\n");
      await project.ok("rollback", id, "--database-only", "--yes");
      expect([rows(), (await repo.read("a.txt")).toString()]).toEqual(["0", "later\n"]);
      await repo.write("a.txt", "even later\n");
      await project.ok("undo", "--yes");
      expect([rows(), (await repo.read("a.txt")).toString()]).toEqual(["1", "even later\n"]);
      const other = await project.create();
      expectExit(await project.run("rollback", other, "--database-only", "--yes"), 2);
    }));

  it("holds one that is named twice once, and says which file is none", () =>
    withSeed(async (project) => {
      const { repo } = project;
      sql(project, "app.db", "CREATE TABLE t (a);");
      const absolute = `sqlite:${join(repo.root, "app.db")}`;
      const twice = ["sqlite:app.db", "sqlite:./app.db", "app.db", absolute];
      const made = await project.ok("create", "--database", ...twice);
      const held = items(made.json, "checkpoint", "parts").filter((part) =>
        text(part, "type").startsWith("database"),
      );
      expect(held).toHaveLength(1);
      await repo.write("package.json", "{}\n");
      const refused = await project.run("create", "--database", "sqlite:package.json");
      expectExit(refused, 1);
      expect(errorMessage(refused)).toBe("package.json is not a SQLite database");
    }));
});
