/** Savepoints of the library on clients as people use them, with real servers behind them. */
import { createRequire } from "node:module";
import { createConnection } from "mariadb";
import { Client } from "pg";
import { afterEach, beforeAll, describe, expect, it } from "vitest";
import { ToolSession } from "../../src/adapters/database/tool-session.ts";
import { savepoint, type SavepointClient } from "../../src/index.ts";
import { startServer, whyNoServer } from "../support/database-servers.ts";
import { hasProgram } from "../support/find-program.ts";

interface Subject {
  readonly client: SavepointClient;
  run(statement: string): Promise<void>;
  /** The values of table t that this client sees. */
  values(): Promise<number[]>;
  /** Those that others see: what was committed. */
  committed?(): Promise<number[]>;
  end(): Promise<void>;
}

function savepointRules(open: () => Promise<Subject>): void {
  let subject: Subject;
  afterEach(() => subject.end());

  async function start(): Promise<Subject> {
    subject = await open();
    return subject;
  }
  const put = (value: number) => subject.run(`INSERT INTO t VALUES (${value})`);

  it("takes back what was done since, as often as one likes, and keeps the rest", async () => {
    const { client } = await start();
    await put(1);
    const point = await savepoint(client);
    await put(2);
    await point.rollbackTo();
    await put(3);
    await point.rollbackTo();
    await put(4);
    await point.release();
    expect(await subject.values()).toEqual([1, 4]);
    if (subject.committed !== undefined) expect(await subject.committed()).toEqual([1, 4]);
  });

  it("can be one inside of another", async () => {
    const { client } = await start();
    const outer = await savepoint(client);
    await put(1);
    const inner = await savepoint(client, { name: "inner" });
    await put(2);
    await inner.rollbackTo();
    await inner.release();
    await put(3);
    expect(await subject.values()).toEqual([1, 3]);
    await outer.rollbackTo();
    await outer.release();
    expect(await subject.values()).toEqual([]);
  });

  it("stays inside of a transaction that is open already", async () => {
    const { client } = await start();
    await subject.run("BEGIN");
    await put(1);
    const point = await savepoint(client, { inTransaction: true });
    await put(2);
    await point.release();
    await subject.run("ROLLBACK");
    expect(await subject.values()).toEqual([]);
  });

  it("takes any name", async () => {
    const { client } = await start();
    const name = `drop table t; -- "x" \`y\` 'z' ä`;
    const point = await savepoint(client, { name });
    expect(point.name).toBe(name);
    await put(1);
    await point.rollbackTo();
    await point.release();
    expect(await subject.values()).toEqual([]);
  });

  it("says no after it was released, and to a name that is none", async () => {
    const { client } = await start();
    const point = await savepoint(client);
    await point.release();
    await expect(point.rollbackTo()).rejects.toMatchObject({ code: "usage" });
    await expect(point.release()).rejects.toMatchObject({ code: "usage" });
    await expect(savepoint(client, { name: "" })).rejects.toMatchObject({ code: "usage" });
  });
}

describe("savepoints", () => {
  it("refuse what is no client", async () => {
    await expect(savepoint({})).rejects.toMatchObject({ code: "usage" });
  });

  describe.skipIf(whyNoServer("postgresql") !== undefined)("of pg", () => {
    let settings: ConstructorParameters<typeof Client>[0];
    beforeAll(async () => {
      const { port, user, password } = await startServer("postgresql");
      settings = { host: "127.0.0.1", port, user, password, database: "postgres" };
    });

    savepointRules(async () => {
      const [client, other] = [new Client(settings), new Client(settings)];
      await Promise.all([client.connect(), other.connect()]);
      await client.query("DROP TABLE IF EXISTS t");
      await client.query("CREATE TABLE t (v int)");
      const read = async (from: Client) =>
        (await from.query<{ v: number }>("SELECT v FROM t ORDER BY v")).rows.map(({ v }) => v);
      return {
        client,
        run: async (statement) => void (await client.query(statement)),
        values: () => read(client),
        committed: () => read(other),
        end: async () => void (await Promise.all([client.end(), other.end()])),
      };
    });
  });

  describe.skipIf(whyNoServer("mysql") !== undefined)("of mariadb", () => {
    let settings: { host: string; port: number; user: string; password: string };
    beforeAll(async () => {
      const { port, user, password } = await startServer("mysql");
      settings = { host: "127.0.0.1", port, user, password };
    });

    savepointRules(async () => {
      const [client, other] = await Promise.all([
        createConnection(settings),
        createConnection(settings),
      ]);
      for (const statement of [
        "CREATE DATABASE IF NOT EXISTS app",
        "USE app",
        "DROP TABLE IF EXISTS t",
        "CREATE TABLE t (v INT)",
      ]) {
        await client.query(statement);
      }
      const read = async (from: typeof client) =>
        (await from.query<{ v: number }[]>("SELECT v FROM app.t ORDER BY v")).map(({ v }) => v);
      return {
        client,
        run: async (statement) => void (await client.query(statement)),
        values: () => read(client),
        committed: () => read(other),
        end: async () => void (await Promise.all([client.end(), other.end()])),
      };
    });
  });

  describe.skipIf(!hasProgram("sqlite3"))("of a client with exec, on SQLite", () => {
    savepointRules(async () => {
      const tool = { program: "sqlite3", args: ["-batch", "-bail", ":memory:"], secrets: [] };
      const print = (text: string) => `SELECT '${text}';`;
      const session = new ToolSession(tool, { print, answersOn: "stderr" });
      await session.ask(".output stderr\nCREATE TABLE t (v int);");
      return {
        client: { exec: (statement: string) => session.ask(`${statement};`) },
        run: async (statement) => void (await session.ask(`${statement};`)),
        values: async () => {
          const answer = await session.ask("SELECT v FROM t ORDER BY v;");
          return answer === "" ? [] : answer.split("\n").map(Number);
        },
        end: async () => session.close(),
      };
    });
  });

  const sqlite = builtIn("node:sqlite");
  describe.skipIf(sqlite === undefined)("of node:sqlite", () => {
    savepointRules(async () => {
      const { DatabaseSync } = sqlite as NodeSqlite;
      const database = new DatabaseSync(":memory:");
      database.exec("CREATE TABLE t (v int)");
      return {
        client: database,
        run: async (statement) => database.exec(statement),
        values: async () =>
          database
            .prepare("SELECT v FROM t ORDER BY v")
            .all()
            .map(({ v }) => v),
        end: async () => database.close(),
      };
    });
  });
});

/** As far as it is used here: the types of Node 20 do not know it. */
interface NodeSqlite {
  readonly DatabaseSync: new (path: string) => {
    exec(statement: string): void;
    prepare(statement: string): { all(): { v: number }[] };
    close(): void;
  };
}

/** Node 20 has none. */
function builtIn(name: string): unknown {
  try {
    return createRequire(import.meta.url)(name);
  } catch {
    return undefined;
  }
}
