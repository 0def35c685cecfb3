// What differs beside the work tree is shown, counts for sameness, and is in the log when it went wrong.
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { createCheckpoint, guard, openProject, type GuardRequest } from "../../src/index.ts";
import type { PartAsk } from "../../src/ports/part-keepers.ts";
import { withSeed, type RuleProject } from "../spec/project.ts";
import { hasProgram } from "../support/find-program.ts";
import { field } from "../support/json.ts";
import { runCommand } from "../support/run-command.ts";

async function sql({ repo }: RuleProject, file: string, text: string): Promise<void> {
  await runCommand("sqlite3", [join(repo.base, file), text], { env: repo.env });
}

async function partsOf(project: RuleProject, ...args: string[]): Promise<unknown> {
  return field((await project.ok("diff", ...args)).json, "parts");
}

describe("parts that differ", () => {
  it("copied files are shown, since a checkpoint and between two", () =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write("out/a.log", "one\n");
      const first = await project.create("--scope", join(repo.root, "out"));
      await repo.write("out/a.log", "two\n");
      await repo.write("out/b.log", "new\n");
      const changes = [
        { type: "file_backup", what: "out/a.log", change: "modified", summary: null },
        { type: "file_backup", what: "out/b.log", change: "added", summary: null },
      ];
      expect(await partsOf(project, first)).toEqual(changes);
      const second = await project.create("--scope", join(repo.root, "out"));
      expect(await partsOf(project, first, second)).toEqual(changes);
      expect(await partsOf(project, second)).toEqual([]);
    }));

  it.skipIf(!hasProgram("sqlite3"))("two databases with the same rows are two databases", () =>
    withSeed(async (project) => {
      const { repo } = project;
      for (const name of ["o1.db", "o2.db"]) {
        await sql(project, name, "create table t (a); insert into t values (1);");
      }
      const create = (name: string) =>
        project.ok("create", "--database", `sqlite:${join(repo.base, name)}`);
      const first = await create("o1.db");
      expect(field(first.json, "checkpoint_created")).toBe(true);
      expect(field((await create("o1.db")).json, "checkpoint_created")).toBe(false);
      const other = await create("o2.db");
      expect(field(other.json, "checkpoint_created")).toBe(true);
      await sql(project, "o2.db", "insert into t values (2);");
      const changes = [{ type: "database_savepoint", change: "modified" }];
      expect(await partsOf(project, "latest")).toMatchObject(changes);
      const database = ["--database", `sqlite:${join(repo.base, "o2.db")}`];
      const second = await project.create(...database);
      await sql(project, "o2.db", "insert into t values (3);");
      expect(await partsOf(project, second, await project.create(...database))).toMatchObject(
        changes,
      );
    }),
  );

  it.each([
    ["s.json", '{"a": 1, "b": 2.0}\n', '{"a": 5, "b": 2.0}\n'],
    ["s.yml", "a: 1 # one\nb: [1,2]\n", "a: 5 # one\nb: [1,2]\n"],
  ])("[R73] the built command changes only the keys of %s", (name, then, now) =>
    withSeed(async (project) => {
      const { repo } = project;
      await repo.write(name, then);
      const id = await project.create("--state", join(repo.root, name), "--state-key", "a");
      await repo.write(name, now);
      await project.ok("rollback", id, "--state-only", "--yes");
      expect((await repo.read(name)).toString("utf8")).toBe(then);
    }),
  );

  it("a guard that failed is among the failures of the log", () =>
    withSeed(async (project) => {
      await project.run("guard", "--", "false");
      const { json } = await project.ok("log", "--failed");
      expect(JSON.stringify(json)).toContain("guard_failed");
    }));

  it("the library refuses what is no request", () =>
    withSeed(async ({ repo }) => {
      await writeFile(join(repo.root, "x"), "");
      const project = await openProject({ directory: repo.root });
      try {
        await expect(guard(project, {} as GuardRequest)).rejects.toMatchObject({ code: "usage" });
        const odd = { type: "other" } as unknown as PartAsk;
        await expect(createCheckpoint(project, { parts: [odd] })).rejects.toMatchObject({
          code: "usage",
        });
        const loop: Record<string, unknown> = {};
        loop["self"] = loop;
        for (const value of [1n, loop, undefined]) {
          const documents = [{ name: "state" as const, kind: "value" as const, value }];
          const parts: PartAsk[] = [{ type: "state_snapshot", documents, keys: null }];
          await expect(createCheckpoint(project, { parts })).rejects.toMatchObject({
            code: "usage",
          });
        }
      } finally {
        project.close();
      }
    }));
});
