import { spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, onTestFinished } from "vitest";
import { hasProgram } from "../../../test/support/find-program.ts";
import { partKeeperSuite } from "../../ports/part-keeper.suite.ts";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { holdInMemory } from "../memory/held-part.fixture.ts";
import { contentDigest } from "./database-content.ts";
import { SqliteDatabase } from "./sqlite-database.ts";
import { WorkFolders } from "./work-folders.ts";
import {
  byHand,
  DAMAGES,
  databaseSubject,
  FAILING_GIT,
  keeperIn,
  publish,
  restore,
  type RealDatabase,
} from "./keeper-subject.fixture.ts";

const STATES = [
  `CREATE TABLE users(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, score REAL, photo BLOB);
   INSERT INTO users(name, score, photo) VALUES ('ann', 0.1, X'00ff0a'), ('line
end', 1e300, NULL), (CAST(X'610062' AS TEXT), -0.0, zeroblob(3));
   CREATE TABLE "odd "" name"(a, b); INSERT INTO "odd "" name" VALUES (1, '1'), (1, '1'), (NULL, 2.5);
   CREATE VIEW v AS SELECT name FROM users;
   CREATE TRIGGER t AFTER INSERT ON users BEGIN UPDATE users SET score = 0 WHERE id = new.id; END;`,
  `CREATE TABLE users(id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT, score REAL, photo BLOB, more INT DEFAULT 5);
   INSERT INTO users(name) VALUES ('bob'); CREATE TABLE added(x); CREATE INDEX i ON added(x);`,
  "CREATE TABLE users(id INTEGER PRIMARY KEY, name TEXT); INSERT INTO users VALUES (7, 'eve'); CREATE TABLE third(x);",
] as const;

const EMPTY = `PRAGMA writable_schema=ON; DELETE FROM sqlite_master; PRAGMA writable_schema=RESET; VACUUM;`;

function sql(path: string, text: string): string {
  const { status, stdout, stderr } = spawnSync("sqlite3", ["-batch", "-bail", path], {
    input: text,
  });
  if (status !== 0) throw new Error(stderr.toString());
  return stdout.toString();
}

function realDatabase(journal: "wal" | "delete"): RealDatabase & { path: string } {
  const folder = mkdtempSync(join(tmpdir(), "waymark-test-"));
  const path = join(folder, 'it\'s a "db" ?#%.db');
  return {
    url: `sqlite:${path}`,
    path,
    secrets: [],
    put: async (state) => {
      const clear = existsSync(path) ? EMPTY : "";
      sql(path, `${clear} PRAGMA journal_mode=${journal}; ${STATES[state]}`);
    },
    look: async () => [sql(path, ".dump"), sql(path, "PRAGMA journal_mode")],
    litter: async () => readdirSync(folder).filter((name) => !path.endsWith(name)),
    close: async () => rmSync(folder, { recursive: true, force: true }),
  };
}

describe.skipIf(!hasProgram("sqlite3"))("SQLite databases", () => {
  describe.each(["wal", "delete"] as const)("with journal mode %s", (journal) => {
    partKeeperSuite(async () => databaseSubject(realDatabase(journal)), DAMAGES);
  });

  /** A database with `rows` in WAL mode, and a keeper. */
  async function scene(rows = 3, journal = "wal", waitMs = 1000) {
    const folder = tempFolder();
    const path = join(folder, "app.db");
    sql(
      path,
      `PRAGMA journal_mode=${journal}; CREATE TABLE t(id INTEGER PRIMARY KEY, v TEXT);
       WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < ${rows}) INSERT INTO t SELECT i, 'row '||i FROM n;`,
    );
    const keeper = keeperIn(folder, process.env, { waitMs });
    const capture = async () => holdInMemory(await keeper.capture({ url: "app.db" }));
    return { folder, path, keeper, capture };
  }

  /** Writes pairs of rows, each pair in one transaction, until it is stopped. */
  async function startWriter(path: string): Promise<() => Promise<void>> {
    const statement =
      "BEGIN IMMEDIATE; INSERT INTO t(v) VALUES ('a'); INSERT INTO t(v) VALUES ('b'); COMMIT;\n";
    const child = spawn("sqlite3", ["-batch", "-cmd", ".timeout 20000", path], {
      stdio: ["pipe", "ignore", "ignore"],
    });
    child.stdin.on("error", () => undefined);
    const timer = setInterval(() => child.stdin.write(statement), 1);
    const stop = async () => {
      clearInterval(timer);
      child.stdin.end();
      await new Promise((resolve) =>
        child.exitCode === null ? child.on("close", resolve) : resolve(null),
      );
    };
    onTestFinished(stop);
    const size = () => Number(sql(path, ".timeout 20000\nSELECT count(*) FROM t;"));
    // Not without a pause: what is written to the program leaves this process only then.
    for (const before = size(); size() === before;)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return stop;
  }

  it.each(["wal", "delete"])(
    "[R64] captures whole transactions while a writer is at work (%s)",
    async (journal) => {
      const { path, capture, keeper } = await scene(20_000, journal, 20_000);
      const stop = await startWriter(path);
      const before = Number(sql(path, ".timeout 20000\nSELECT count(*) FROM t;"));
      const held = await capture();
      await stop();
      expect(held.part.rows).toBeGreaterThanOrEqual(before);
      expect(held.part.rows % 2).toBe(0);
      expect(held.part.rows).toBeLessThanOrEqual(Number(sql(path, "SELECT count(*) FROM t;")));
      expect(await keeper.verify(held)).toEqual([]);
    },
  );

  it("[R65] leaves a database alone to which a link leads by now, and the link", async () => {
    const { path, keeper, capture } = await scene();
    const held = await capture();
    const other = `${path}.other`;
    for (const target of [other, `${path}.nothing`]) {
      rmSync(path, { force: true });
      symlinkSync(target, path);
      if (target === other) sql(other, "CREATE TABLE precious (a);");
      const like = await holdInMemory(await keeper.captureLike(held));
      expect((await keeper.preview(held)).kept).toHaveLength(1);
      const prepared = await keeper.prepare({ to: held, expected: like, paths: null });
      expect(await prepared.apply()).toHaveLength(1);
      prepared.close();
      expect(readlinkSync(path)).toBe(target);
      expect(existsSync(`${path}.nothing`)).toBe(false);
    }
    expect(sql(other, "SELECT name FROM sqlite_master;")).toBe("precious\n");
  });

  it("captures what is only in the write-ahead log, and leaves the log alone", async () => {
    const { path, capture } = await scene();
    // As a writer that dies leaves it: the log is not moved into the database.
    sql(
      path,
      ".dbconfig no_ckpt_on_close on\nPRAGMA wal_autocheckpoint=0;\nINSERT INTO t(v) VALUES ('in the log');\n",
    );
    expect(readFileSync(path).includes("in the log")).toBe(false);
    expect(readFileSync(`${path}-wal`).includes("in the log")).toBe(true);
    const files = () => [
      readFileSync(path).toString("hex"),
      readFileSync(`${path}-wal`).toString("hex"),
    ];
    const before = files();
    const held = await capture();
    expect(held.part.rows).toBe(4);
    expect(files()).toEqual(before);
  });

  it("[R65] changes a database that other programs have open, and they see it", async () => {
    const { path, keeper, capture } = await scene();
    const held = await capture();
    const other = spawn("sqlite3", ["-batch", path], { stdio: ["pipe", "pipe", "inherit"] });
    onTestFinished(() => void other.stdin.end());
    let said = "";
    const answer = async (statement: string) => {
      said = "";
      // The program's own buffer is written by its child.
      other.stdin.write(`.once '|cat'\n${statement}\n.shell echo done\n`);
      while (!said.includes("done")) await new Promise((resolve) => setTimeout(resolve, 5));
      return said.replace("done", "").trim();
    };
    other.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
    expect(await answer("SELECT count(*) FROM t;")).toBe("3");
    sql(path, "DELETE FROM t WHERE id > 1; CREATE TABLE more(x);");
    expect(await answer("SELECT count(*) FROM t;")).toBe("1");
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(await answer("SELECT count(*) FROM t;")).toBe("3");
    other.stdin.write("INSERT INTO t(v) VALUES ('from the other');\n");
    expect(await answer("PRAGMA integrity_check;")).toBe("ok");
    expect(
      sql(path, "SELECT count(*) FROM t; SELECT count(*) FROM sqlite_master WHERE name = 'more';"),
    ).toBe("4\n0\n");
  });

  it("brings back a database that was deleted, and takes that back", async () => {
    const { path, keeper, capture } = await scene();
    const held = await capture();
    for (const end of ["", "-wal", "-shm"]) rmSync(`${path}${end}`, { force: true });
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect((await keeper.preview(held)).changes).toMatchObject([
      { what: "app.db", operation: "restored" },
    ]);
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "SELECT count(*) FROM t;")).toBe("3\n");
    expect(await restore(keeper, safety, held)).toEqual({ kept: [], mismatches: [] });
    expect(existsSync(path)).toBe(false);
  });

  it.each([
    ["-wal", "377f0682"],
    ["-wal", "377f0683"],
    ["-journal", "d9d505f920a163d7"],
  ])("keeps a log (%s, %s) whose database was moved away", async (end, beginning) => {
    const { path, keeper, capture } = await scene();
    const held = await capture();
    renameSync(path, `${path}.moved`);
    const log = Buffer.concat([Buffer.from(beginning, "hex"), Buffer.from("only here")]);
    writeFileSync(`${path}${end}`, log);
    const safety = await holdInMemory(await keeper.captureLike(held));
    await expect(restore(keeper, held, safety)).rejects.toMatchObject({
      code: "database_failed",
      message: expect.stringContaining(`app.db${end}`),
    });
    expect(readFileSync(`${path}${end}`)).toEqual(log);
    expect(existsSync(path)).toBe(false);
    renameSync(`${path}${end}`, `${path}.moved${end}`);
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
  });

  it("brings back a database that was deleted and whose journal stayed, but is spent", async () => {
    const { path, keeper, capture } = await scene();
    const held = await capture();
    sql(path, "PRAGMA journal_mode = delete; PRAGMA journal_mode = persist; DELETE FROM t;");
    expect(readFileSync(`${path}-journal`).length).toBeGreaterThan(0);
    rmSync(path);
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "PRAGMA integrity_check; SELECT count(*) FROM t;")).toBe("ok\n3\n");
  });

  it("sees that rowids changed, whatever a table is called and has", async () => {
    const { path, keeper, capture } = await scene();
    sql(
      path,
      `CREATE TABLE notes(a); INSERT INTO notes VALUES ('x'), ('y');
       CREATE TABLE hides(rowid, oid, _ROWID_ TEXT); INSERT INTO hides VALUES (1, 2, 3);
       CREATE TABLE half(RowId TEXT); INSERT INTO half VALUES ('z');
       CREATE TABLE bare(k TEXT PRIMARY KEY, v) WITHOUT ROWID; INSERT INTO bare VALUES ('k', 1);
       CREATE TABLE keyed(k TEXT PRIMARY KEY); INSERT INTO keyed VALUES ('k');`,
    );
    const held = await capture();
    expect(await keeper.verify(held)).toEqual([]);
    const rowids = () =>
      sql(path, "SELECT rowid FROM notes; SELECT oid FROM half; SELECT rowid FROM keyed;");
    const then = rowids();
    for (const change of ["notes SET rowid", "half SET oid", "keyed SET rowid"]) {
      sql(path, `UPDATE ${change} = 77 WHERE _rowid_ = 1;`);
      expect((await keeper.preview(held)).changes).toHaveLength(1);
      const safety = await holdInMemory(await keeper.captureLike(held));
      expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
      expect(rowids()).toBe(then);
    }
  });

  it("compares what an older version captured without rowids", async () => {
    const { folder, path, keeper } = await scene();
    sql(path, "CREATE TABLE notes(a); INSERT INTO notes VALUES ('x'), ('y');");
    const captured = await holdInMemory(await keeper.capture({ url: "app.db" }));
    const database = new SqliteDatabase(
      { engine: "sqlite", path, label: "app.db", source: "sqlite:app.db" },
      new WorkFolders(join(folder, "tmp")),
      1000,
    );
    const content = await database.contentNow(1);
    const manifestPath = `${captured.part.folder}/manifest.json`;
    const manifest = JSON.parse(String(captured.entries.get(manifestPath))) as object;
    captured.entries.set(manifestPath, Buffer.from(JSON.stringify({ ...manifest, content })));
    const old = {
      ...captured,
      part: { ...captured.part, digest: contentDigest("sqlite", content) },
    };
    expect(await keeper.verify(old)).toEqual([]);
    sql(path, "UPDATE notes SET rowid = 77 WHERE rowid = 1;");
    expect((await keeper.preview(old)).changes).toEqual([]);
    sql(path, "DELETE FROM notes;");
    const safety = await holdInMemory(await keeper.captureLike(old));
    expect(await restore(keeper, old, safety)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "SELECT rowid FROM notes;")).toBe("1\n2\n");
  });

  it("captures and restores a table with many columns", async () => {
    const { path, keeper, capture } = await scene();
    const columns = Array.from({ length: 1500 }, (_, at) => `c${at}`);
    sql(path, `CREATE TABLE wide(${columns.join()}); INSERT INTO wide(c0, c1499) VALUES (1, 'x');`);
    const held = await capture();
    sql(path, "UPDATE wide SET c1499 = 'y', c700 = 0;");
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "SELECT c0, c700, c1499 FROM wide;")).toBe("1||x\n");
  });

  it.each([512, 65_536])("goes back where pages have another size by now (%d)", async (size) => {
    const { path, keeper, capture } = await scene(3, "delete");
    sql(path, "CREATE TABLE notes(a); INSERT INTO notes(rowid, a) VALUES (7, 'x'), (9, 'y');");
    const held = await capture();
    sql(path, `PRAGMA page_size=${size}; VACUUM; PRAGMA journal_mode=wal; DELETE FROM t;`);
    expect(sql(path, "PRAGMA page_size;")).toBe(`${size}\n`);
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "SELECT count(*) FROM t; SELECT rowid FROM notes;")).toBe("3\n7\n9\n");
    expect(sql(path, "PRAGMA integrity_check; PRAGMA journal_mode;")).toBe("ok\nwal\n");
    expect(await restore(keeper, safety, held)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "SELECT count(*) FROM t;")).toBe("0\n");
  });

  it("says that a database is busy when somebody keeps it locked", async () => {
    const { path, keeper, capture } = await scene(3, "delete", 200);
    const held = await capture();
    sql(path, "DELETE FROM t;");
    const safety = await holdInMemory(await keeper.captureLike(held));
    const locking = spawn("sqlite3", ["-batch", path], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void locking.kill());
    locking.stdin.write("BEGIN IMMEDIATE;\nSELECT 'locked';\nBEGIN;\n");
    const locked = () => spawnSync("sqlite3", ["-batch", path, "BEGIN IMMEDIATE;"]).status !== 0;
    await expect.poll(locked).toBe(true);
    await expect(restore(keeper, held, safety)).rejects.toMatchObject({ code: "database_busy" });
    locking.stdin.write("COMMIT;\nBEGIN EXCLUSIVE;\n");
    const closed = () => spawnSync("sqlite3", ["-batch", path, "SELECT 1 FROM t;"]).status !== 0;
    await expect.poll(closed).toBe(true);
    await expect(capture()).rejects.toMatchObject({ code: "database_busy" });
  });

  it("says in a preview what differs", async () => {
    const { path, keeper, capture } = await scene();
    const held = await capture();
    expect(await keeper.preview(held)).toMatchObject({ changes: [], kept: [] });
    sql(path, "DELETE FROM t WHERE id > 1; CREATE TABLE more(x);");
    const [change] = (await keeper.preview(held)).changes;
    expect(change).toMatchObject({ what: "app.db", operation: "changed_back" });
    expect(change?.summary).toContain("t: 1 row now, 3 then");
    expect(change?.summary).toContain("more: new since then (0 rows)");
  });

  it("refuses a database that is too large, one that is not there and one that is none", async () => {
    const { folder, keeper } = await scene();
    await expect(
      keeperIn(folder, process.env, { maxBytes: 100 }).capture({ url: "app.db" }),
    ).rejects.toMatchObject({ code: "over_budget" });
    await expect(keeper.capture({ url: "gone.db" })).rejects.toMatchObject({
      code: "database_not_found",
    });
    expect(existsSync(join(folder, "gone.db"))).toBe(false);
    writeFileSync(
      join(folder, "text.db"),
      "This is text, and long enough to be taken for a header of a database. ".repeat(20),
    );
    await expect(keeper.capture({ url: "text.db" })).rejects.toMatchObject({
      code: "database_failed",
    });
    expect(readdirSync(join(folder, "tmp"))).toEqual([]);
  });

  it("waits for nobody for ever: a locked database is left as it is", async () => {
    const { path, keeper, capture } = await scene(3, "delete");
    const held = await capture();
    sql(path, "DELETE FROM t;");
    const safety = await holdInMemory(await keeper.captureLike(held));
    const prepared = await keeper.prepare({ to: held, expected: safety, paths: null });
    const other = spawn("sqlite3", ["-batch", path], { stdio: ["pipe", "pipe", "ignore"] });
    onTestFinished(() => void other.stdin.end());
    other.stdin.write("BEGIN EXCLUSIVE;\n.shell echo locked\n");
    await new Promise((resolve) => other.stdout.once("data", resolve));
    await expect(prepared.apply()).rejects.toMatchObject({ code: "database_busy" });
    prepared.close();
    other.stdin.end("ROLLBACK;\n");
    await new Promise((resolve) => other.on("close", resolve));
    expect(sql(path, "SELECT count(*) FROM t;")).toBe("0\n");
  });

  it("can be brought back by hand with the command that is described, from any folder", async () => {
    const { folder, path, keeper, capture } = await scene();
    const held = await capture();
    publish(folder, held);
    const { commands } = await keeper.describe(held);
    expect(commands).toHaveLength(1);
    const command = commands[0] ?? "";
    sql(path, "DELETE FROM t WHERE id > 1; CREATE TABLE more(x);");
    const before = sql(path, ".dump");
    for (const git of FAILING_GIT) {
      const failed = byHand(command, {}, git);
      expect([failed.status === 0, failed.left]).toEqual([false, []]);
      expect(sql(path, ".dump")).toBe(before);
    }
    const files = readdirSync(folder);
    expect(byHand(command)).toEqual({ status: 0, stderr: "", left: [] });
    expect(sql(path, "SELECT count(*) FROM t; SELECT name FROM sqlite_master;")).toBe("3\nt\n");
    expect(readdirSync(folder)).toEqual(files);
  });

  it("is left alone by the command when the dump is no database", async () => {
    const { folder, path, keeper, capture } = await scene();
    const held = await capture();
    publish(folder, held);
    const [command = ""] = (await keeper.describe(held)).commands;
    const before = sql(path, ".dump");
    const failed = byHand(command, {}, `head -c ${held.part.bytes} /dev/zero`);
    expect([failed.status === 0, failed.left]).toEqual([false, []]);
    expect(sql(path, ".dump")).toBe(before);
  });

  it("brings back a database whose folder is gone", async () => {
    const { folder, keeper } = await scene();
    const path = join(folder, "build/data/app.db");
    mkdirSync(join(folder, "build/data"), { recursive: true });
    sql(path, "CREATE TABLE t(x);");
    const held = await holdInMemory(await keeper.capture({ url: "build/data/app.db" }));
    publish(folder, held);
    rmSync(join(folder, "build"), { recursive: true });
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(sql(path, "SELECT name FROM sqlite_master;")).toBe("t\n");
    rmSync(join(folder, "build"), { recursive: true });
    expect(byHand((await keeper.describe(held)).commands[0] ?? "").status).toBe(0);
    expect(sql(path, "SELECT name FROM sqlite_master;")).toBe("t\n");
  });

  it("says which file is no database", async () => {
    const { folder, keeper } = await scene();
    writeFileSync(join(folder, "package.json"), "{}\n");
    await expect(keeper.capture({ url: "sqlite:package.json" })).rejects.toMatchObject({
      code: "database_failed",
      message: "package.json is not a SQLite database",
    });
    writeFileSync(join(folder, "empty.db"), "");
    expect((await keeper.capture({ url: "empty.db" })).part.tables).toBe(0);
  });

  it.skipIf(process.getuid?.() === 0)("warns about a file that cannot be written", async () => {
    const { path, keeper } = await scene(3, "delete");
    chmodSync(path, 0o400);
    const { part, warnings } = await keeper.capture({ url: "app.db" });
    expect(part.restorable).toBe(false);
    expect(warnings.join("\n")).toContain(`to write ${path}`);
  });

  it("never touches a database for a checkpoint of another repository", async () => {
    const { path, keeper } = await scene();
    const held = await holdInMemory(await keeper.capture({ url: "app.db" }), true);
    sql(path, "DELETE FROM t;");
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(safety.part.bytes).toBe(0);
    expect((await keeper.preview(held)).kept).toHaveLength(1);
    expect((await restore(keeper, held, safety)).kept).toEqual(["app.db"]);
    expect(sql(path, "SELECT count(*) FROM t;")).toBe("0\n");
  });
});
