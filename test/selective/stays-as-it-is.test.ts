// What taking back one session's work leaves alone, and what it asks and says.
import { execFileSync, spawnSync } from "node:child_process";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../support/find-program.ts";
import { field } from "../support/json.ts";
import { cliEnvironment, waymarkArguments } from "../support/cli.ts";
import { runCommand } from "../support/run-command.ts";
import { hasTerminal, inTerminal } from "../support/terminal.ts";
import { ALICE, BOB, ten, withSharedTree } from "./shared-tree.ts";

describe("rollback --only-session", () => {
  it.skipIf(!hasProgram("sqlite3"))(
    "[R119] leaves state and databases that checkpoints hold",
    async () => {
      await withSharedTree(async (tree) => {
        const { repo } = tree;
        const sql = (text: string): string =>
          execFileSync("sqlite3", ["-batch", `${repo.root}/app.db`], { input: text }).toString();
        sql("create table t(a); insert into t values (1);");
        await repo.git("config", "core.excludesFile", "/dev/null");
        await repo.write(".git/info/exclude", "app.db\n");
        const database = `sqlite:${repo.root}/app.db`;
        await repo.write("../state.json", JSON.stringify({ tries: 1 }));
        const state = (): string[] => ["--state", `${repo.base}/state.json`];
        await tree.ok("create", "--force", ...state(), "--database", database);
        await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
        sql("insert into t values (2);");
        await repo.write("../state.json", JSON.stringify({ tries: 2 }));
        const second = await tree.ok("create", "--force", ...state(), "--database", database);
        await tree.hears(ALICE, "turn_end");
        const look = async (): Promise<string> =>
          (await repo.git("for-each-ref", "refs/heads", "refs/tags")) +
          (await repo.storeRefs("refs/waymark/cp"));
        const refs = await look();
        const head = await repo.git("rev-parse", "HEAD");
        expect((await tree.takeBack(ALICE)).takenBack).toEqual(["shared.txt"]);
        expect(sql("select a from t;")).toBe("1\n2\n");
        expect((await repo.read("../state.json")).toString()).toBe('{"tries":2}');
        const now = await look();
        expect(now.split("\n")).toEqual(expect.arrayContaining(refs.split("\n")));
        expect(await repo.git("rev-parse", "HEAD")).toBe(head);
        const { json } = await tree.ok("show", String(field(second.json, "checkpoint", "id")));
        expect(field(json, "valid")).not.toBe(false);
        await tree.ok("undo", "--yes");
        expect(sql("select a from t;")).toBe("1\n2\n");
      });
    },
  );

  it.skipIf(!hasProgram("sqlite3"))(
    "leaves a SQLite file whose ignored log SQLite would play into another one",
    async () => {
      await withSharedTree(async (tree) => {
        const { repo } = tree;
        const sql = (text: string): string =>
          spawnSync("sqlite3", ["-batch", `${repo.root}/app.db`], {
            input: text,
          }).stdout.toString();
        await repo.write(".git/info/exclude", "*.db-wal\n*.db-shm\n");
        sql("pragma journal_mode = wal; create table t(a);");
        await tree.before(ALICE, null);
        sql("insert into t values (1);");
        await tree.hears(ALICE, "turn_end");
        sql("insert into t values (2);\n.shell kill -9 $PPID\n");
        const report = await tree.takeBack(ALICE);
        expect(report).toMatchObject({ takenBack: [], kept: [["app.db", "in_the_way"]] });
        expect(sql("select a from t;")).toBe("1\n2\n");
      });
    },
  );

  it.skipIf(!hasProgram("sqlite3"))("leaves the log of a SQLite file that stays", async () => {
    await withSharedTree(async (tree) => {
      const { repo } = tree;
      const sql = (text: string): string =>
        spawnSync("sqlite3", ["-batch", `${repo.root}/app.db`], { input: text }).stdout.toString();
      await repo.write(".git/info/exclude", "*.db\n*.db-shm\n");
      sql("pragma journal_mode = wal; create table t(a);");
      await tree.before(ALICE, null);
      sql("insert into t values (1);\n.shell kill -9 $PPID\n");
      await tree.hears(ALICE, "turn_end");
      const report = await tree.takeBack(ALICE);
      expect(report).toMatchObject({ takenBack: [], kept: [["app.db-wal", "in_the_way"]] });
      expect(sql("select a from t;")).toBe("1\n");
    });
  });

  it("says why everything stays, and what can be done", async () => {
    await withSharedTree(async (tree) => {
      await tree.before(ALICE, null);
      await tree.before(BOB, null);
      await tree.repo.write("shared.txt", ten({ 1: "either" }));
      const said = await runCommand(
        process.execPath,
        waymarkArguments(tree.repo.root, "rollback", "--only-session", ALICE, "--yes"),
        { cwd: tree.repo.root, env: cliEnvironment(tree.repo.env) },
      );
      const text = said.stdout.toString();
      expect(said.code).toBe(0);
      expect(text).toContain("No change of session");
      expect(text).toContain("1 file stays as it is");
      expect(text).toContain("shared.txt stays (its author is uncertain)");
      expect(text).toMatch(/waymark diff cp-\S+ --patch --paths FILE/);
      const [, id = ""] = /waymark rollback (cp-\S+) --files-only --paths FILE/.exec(text) ?? [];
      await tree.ok("diff", id, "--patch", "--paths", "shared.txt");
      await tree.ok("rollback", id, "--files-only", "--paths", "shared.txt", "--yes");
      expect(await tree.read("shared.txt")).toBe(ten({}));
    });
  });

  it.skipIf(!hasTerminal)("shows the plan in a terminal, and asks", async () => {
    await withSharedTree(async (tree) => {
      await tree.writes(ALICE, "shared.txt", ten({ 1: "alice" }));
      await tree.hears(ALICE, "turn_end");
      const { root, env } = tree.repo;
      const answer = (type: string) =>
        inTerminal(root, ["rollback", "--only-session", ALICE], [{ see: "[y/N]", type }], env, 200);
      const no = await answer("no\n");
      expect([no.code, await tree.read("shared.txt")]).toEqual([5, ten({ 1: "alice" })]);
      expect(no.screen).toContain("~ shared.txt");
      const yes = await answer("yes\n");
      expect([yes.code, await tree.read("shared.txt")]).toEqual([0, ten({})]);
      expect(yes.screen).toContain("Reverted");
    });
  });
});
