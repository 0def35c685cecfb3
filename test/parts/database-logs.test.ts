/** A SQLite file that is rolled back as a file like others, with a log beside it that SQLite would play into whatever has its name. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { hasProgram } from "../support/find-program.ts";
import { type RuleProject, withSeed } from "../spec/project.ts";

const WAL = "PRAGMA journal_mode = wal;";
/** A small cache that is spilled leaves a journal on the disk in the middle of a transaction. */
const IN_THE_MIDDLE = "PRAGMA cache_size = 1; PRAGMA synchronous = full; BEGIN;";
const MANY =
  "INSERT INTO t SELECT hex(randomblob(500)) FROM (WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 500) SELECT i FROM n);";

class Database {
  readonly file: string;

  constructor(project: RuleProject) {
    this.file = join(project.repo.root, "app.db");
  }

  run(statements: string): string {
    const { stdout } = spawnSync("sqlite3", ["-batch", this.file], {
      input: `${statements}\n`,
      encoding: "utf8",
    });
    return stdout.trim();
  }

  /** The program is killed afterwards, so that its log stays. */
  runAndKill(statements: string): void {
    this.run(`${statements}\n.shell kill -9 $PPID`);
  }

  async bytes(): Promise<Record<string, string | undefined>> {
    const read = async (end: string): Promise<string | undefined> =>
      existsSync(`${this.file}${end}`)
        ? (await readFile(`${this.file}${end}`)).toString("hex")
        : undefined;
    return { file: await read(""), wal: await read("-wal"), journal: await read("-journal") };
  }
}

async function withIgnoredLogs(
  use: (project: RuleProject, database: Database) => Promise<void>,
): Promise<void> {
  await withSeed(async (project) => {
    await writeFile(
      join(project.repo.root, ".git/info/exclude"),
      "*.db-wal\n*.db-shm\n*.db-journal\n",
    );
    await use(project, new Database(project));
  });
}

describe.skipIf(!hasProgram("sqlite3"))("a SQLite file and the log beside it", () => {
  it.each([[[]], [["--paths", "app.db"]]])(
    "an ignored log goes with its file and comes back with it (%j)",
    async (only) => {
      await withIgnoredLogs(async (project, database) => {
        database.run(`${WAL} CREATE TABLE t (a); INSERT INTO t VALUES ('then');`);
        const id = await project.create();
        database.runAndKill(
          `INSERT INTO t VALUES ('since'); PRAGMA wal_checkpoint(full); CREATE TABLE u (a); INSERT INTO u VALUES ('in the log');`,
        );
        const before = await database.bytes();
        expect(before["wal"]).toBeDefined();
        await project.ok("rollback", id, "--yes", ...only);
        expect(
          database.run("PRAGMA integrity_check; SELECT a FROM t; SELECT name FROM sqlite_master;"),
        ).toBe("ok\nthen\nt");
        database.run("INSERT INTO t VALUES ('after');");
        await project.ok("undo", "--yes");
        expect(await database.bytes()).toEqual(before);
        expect(database.run("PRAGMA integrity_check; SELECT a FROM t; SELECT a FROM u;")).toBe(
          "ok\nthen\nsince\nin the log",
        );
      });
    },
  );

  it("a journal in the middle of a transaction goes with its file and comes back with it", async () => {
    await withIgnoredLogs(async (project, database) => {
      database.run("CREATE TABLE t (a); INSERT INTO t VALUES ('then');");
      const id = await project.create();
      database.run(MANY);
      database.runAndKill(`${IN_THE_MIDDLE} UPDATE t SET a = 'half'; ${MANY}`);
      const before = await database.bytes();
      expect(before["journal"]).toBeDefined();
      await project.ok("rollback", id, "--yes");
      expect(database.run("PRAGMA integrity_check; SELECT a FROM t;")).toBe("ok\nthen");
      await project.ok("undo", "--yes");
      expect(await database.bytes()).toEqual(before);
      expect(database.run("PRAGMA integrity_check; SELECT count(*) FROM t;")).toBe("ok\n501");
    });
  });

  it("a log whose file is gone does not get into the one that comes back", async () => {
    await withIgnoredLogs(async (project, database) => {
      database.run(`${WAL} CREATE TABLE t (a); INSERT INTO t VALUES ('then');`);
      const id = await project.create();
      database.runAndKill(`INSERT INTO t VALUES ('since');`);
      await rm(database.file);
      const before = await database.bytes();
      await project.ok("rollback", id, "--yes");
      expect(database.run("PRAGMA integrity_check; SELECT a FROM t;")).toBe("ok\nthen");
      await project.ok("undo", "--yes");
      expect(await database.bytes()).toEqual(before);
    });
  });

  it("the log of a file that git ignores stays with it", async () => {
    await withSeed(async (project) => {
      const database = new Database(project);
      await writeFile(join(project.repo.root, ".git/info/exclude"), "*.db\n");
      database.run(`${WAL} CREATE TABLE t (a);`);
      const id = await project.create();
      await project.repo.write("other", "since\n");
      database.runAndKill("INSERT INTO t VALUES ('since');");
      await project.ok("rollback", id, "--yes");
      expect(existsSync(join(project.repo.root, "other"))).toBe(false);
      expect(database.run("SELECT a FROM t;")).toBe("since");
    });
  });

  it("a log that is captured with its file goes back with it", async () => {
    await withSeed(async (project) => {
      const database = new Database(project);
      database.run(`${WAL} CREATE TABLE t (a); INSERT INTO t VALUES ('then');`);
      const id = await project.create();
      database.runAndKill("INSERT INTO t VALUES ('since');");
      const before = await database.bytes();
      await project.ok("rollback", id, "--yes");
      expect(database.run("PRAGMA integrity_check; SELECT a FROM t;")).toBe("ok\nthen");
      await project.ok("undo", "--yes");
      expect(await database.bytes()).toEqual(before);
    });
  });

  it("a file that is only called like a log stays, and so does the log of a file that does not change", async () => {
    await withIgnoredLogs(async (project, database) => {
      const { repo } = project;
      await repo.write("notes.db", "one\n");
      await repo.write("notes.db-wal", "my own notes\n");
      database.run(`${WAL} CREATE TABLE t (a);`);
      const id = await project.create();
      await repo.write("notes.db", "two\n");
      database.runAndKill("INSERT INTO t VALUES ('since');");
      const before = await database.bytes();
      await project.ok("rollback", id, "--yes");
      expect(await readFile(join(repo.root, "notes.db"), "utf8")).toBe("one\n");
      expect(await readFile(join(repo.root, "notes.db-wal"), "utf8")).toBe("my own notes\n");
      expect(await database.bytes()).toEqual(before);
    });
  });
});
