import { readdirSync, readFileSync } from "node:fs";
import { Client } from "pg";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import {
  startServer,
  whyNoServer,
  type TestServer,
} from "../../../test/support/database-servers.ts";
import { partKeeperSuite } from "../../ports/part-keeper.suite.ts";
import { tempFolder } from "../files/temp-folder.fixture.ts";
import { holdInMemory } from "../memory/held-part.fixture.ts";
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
  `CREATE EXTENSION pgcrypto;
   CREATE TYPE mood AS ENUM ('good', 'bad');
   CREATE TABLE users (id serial PRIMARY KEY, name varchar(40) CHECK (name IN ('ann', 'bob')), m mood, f float8, at timestamptz DEFAULT now(), photo bytea);
   INSERT INTO users (name, m, f, at, photo) VALUES ('ann', 'good', 0.1, '2026-01-01', '\\x00ff0a'), ('bob', 'bad', 'NaN', NULL, NULL);
   CREATE TABLE "Odd "" name" (a text); INSERT INTO "Odd "" name" VALUES (E'tab\\tline\\nend'), ('same'), ('same');
   CREATE SCHEMA side; CREATE TABLE side.orders (id int PRIMARY KEY, u int REFERENCES public.users);
   INSERT INTO side.orders VALUES (1, 1); CREATE VIEW names AS SELECT name FROM users;
   CREATE FUNCTION one() RETURNS int LANGUAGE sql AS 'SELECT 1'; CREATE MATERIALIZED VIEW mv AS SELECT count(*) FROM users;
   SELECT lo_from_bytea(4711, '\\x010203');
   CREATE TABLE parts (id int GENERATED ALWAYS AS IDENTITY, k int, up text GENERATED ALWAYS AS (upper(k::text)) STORED) PARTITION BY RANGE (k);
   CREATE TABLE parts_1 PARTITION OF parts FOR VALUES FROM (0) TO (10); INSERT INTO parts (k) VALUES (1), (2);
   ALTER TABLE users ENABLE ROW LEVEL SECURITY; CREATE POLICY mine ON users USING (id > 0); CREATE PUBLICATION news FOR TABLE users;
   ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO PUBLIC; ALTER DEFAULT PRIVILEGES REVOKE EXECUTE ON FUNCTIONS FROM PUBLIC;`,
  `CREATE TABLE users (id serial PRIMARY KEY, name text, more int); INSERT INTO users (name) SELECT 'n' || i FROM generate_series(1, 9) i;
   CREATE TABLE added (x int); CREATE SEQUENCE counting; SELECT setval('counting', 42); CREATE SCHEMA late; CREATE TABLE late.t (x int);
   CREATE FUNCTION two() RETURNS int LANGUAGE sql AS 'SELECT 2'; CREATE DOMAIN small AS int CHECK (VALUE < 10); CREATE AGGREGATE total (int) (SFUNC = int4pl, STYPE = int);`,
  "CREATE TABLE third (x int); INSERT INTO third VALUES (3);",
] as const;

const EMPTY = `ALTER DEFAULT PRIVILEGES REVOKE ALL ON TABLES FROM PUBLIC; ALTER DEFAULT PRIVILEGES GRANT EXECUTE ON FUNCTIONS TO PUBLIC; DROP PUBLICATION IF EXISTS news;
  DROP SCHEMA IF EXISTS public, side, late CASCADE; CREATE SCHEMA public; SELECT lo_unlink(oid) FROM pg_largeobject_metadata;`;

const LOOK = `SELECT json_build_object(
  'objects', (SELECT json_agg(x ORDER BY x) FROM (SELECT n.nspname || '.' || c.relname || c.relkind::text AS x FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE n.nspname !~ '^(pg_|information_schema)') q),
  'routines', (SELECT json_agg(p.oid::regprocedure::text ORDER BY 1) FROM pg_proc p JOIN pg_namespace n ON n.oid = pronamespace WHERE n.nspname !~ '^(pg_|information_schema)' AND p.prolang <> 13),
  'rights', (SELECT json_agg(defaclacl::text ORDER BY defaclacl::text) FROM pg_default_acl), 'acl', (SELECT json_agg(relname || relacl::text ORDER BY relname) FROM pg_class WHERE relnamespace = 'public'::regnamespace),
  'extensions', (SELECT json_agg(extname ORDER BY 1) FROM pg_extension),
  'large', (SELECT json_agg(encode(lo_get(oid), 'hex')) FROM pg_largeobject_metadata)) AS look`;

describe.skipIf(whyNoServer("postgresql") !== undefined)("PostgreSQL databases", () => {
  let server: TestServer;
  let count = 0;
  beforeAll(async () => {
    server = await startServer("postgresql");
  });

  async function connect(database: string): Promise<Client> {
    const { port, user, password } = server;
    const client = new Client({ host: "127.0.0.1", port, user, password, database });
    // One whose database is dropped says so.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  }

  async function run(
    database: string,
    ...statements: string[]
  ): Promise<Record<string, unknown>[]> {
    const client = await connect(database);
    try {
      let rows: Record<string, unknown>[] = [];
      for (const statement of statements) {
        const result = await client.query<Record<string, unknown>>(statement);
        rows = Array.isArray(result) ? [] : result.rows;
      }
      return rows;
    } finally {
      await client.end();
    }
  }

  async function newDatabase(): Promise<string> {
    count += 1;
    const name = `app ${count}`;
    await run("postgres", `CREATE DATABASE "${name}"`);
    return name;
  }

  const url = (name: string, password = server.password): string =>
    `postgres://${server.user}:${encodeURIComponent(password)}@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;

  async function realDatabase(): Promise<RealDatabase> {
    const name = await newDatabase();
    return {
      url: "env:TEST_DATABASE_URL",
      env: { TEST_DATABASE_URL: url(name) },
      secrets: [server.password, encodeURIComponent(server.password)],
      put: async (state) => void (await run(name, EMPTY, STATES[state])),
      look: async () => {
        const [seen] = await run(name, LOOK);
        const tables = await run(
          name,
          "SELECT quote_ident(n.nspname) || '.' || quote_ident(relname) AS t, relkind::text AS kind FROM pg_class c JOIN pg_namespace n ON n.oid = relnamespace WHERE relkind IN ('r', 'S') AND n.nspname !~ '^(pg_|information_schema)' ORDER BY 1",
        );
        const rows = [];
        for (const { t, kind } of tables) {
          const query =
            kind === "S"
              ? `SELECT last_value, is_called FROM ${String(t)}`
              : `SELECT whole::text FROM ${String(t)} whole ORDER BY 1`;
          rows.push([t, await run(name, query)]);
        }
        return [seen, rows];
      },
      litter: async () => {
        const rows = await run(
          "postgres",
          "SELECT datname FROM pg_database WHERE datname LIKE '%waymark%'",
        );
        return rows.map(({ datname }) => String(datname));
      },
      close: async () => void (await run("postgres", `DROP DATABASE "${name}" WITH (FORCE)`)),
    };
  }

  partKeeperSuite(async () => databaseSubject(await realDatabase()), DAMAGES);

  async function scene(rows = 3) {
    const name = await newDatabase();
    await run(
      name,
      `CREATE TABLE t (id serial PRIMARY KEY, v text); INSERT INTO t (v) SELECT 'row ' || i FROM generate_series(1, ${rows}) i`,
    );
    const folder = tempFolder();
    const keeper = keeperIn(folder, { ...process.env, TEST_URL: url(name) });
    const held = await holdInMemory(await keeper.capture({ url: "env:TEST_URL" }));
    const safetyOf = async () => holdInMemory(await keeper.captureLike(held));
    const rowCount = async () => Number((await run(name, "SELECT count(*) AS n FROM t"))[0]?.["n"]);
    return { folder, name, keeper, held, safetyOf, rowCount };
  }

  it("captures whole transactions while a writer is at work", async () => {
    const { name, keeper } = await scene(2000);
    const client = await connect(name);
    const over = new AbortController();
    const writing = (async () => {
      while (!over.signal.aborted)
        await client.query(
          "BEGIN; INSERT INTO t (v) VALUES ('a'); INSERT INTO t (v) VALUES ('b'); COMMIT",
        );
      await client.end();
    })();
    const held = await holdInMemory(await keeper.capture({ url: "env:TEST_URL" }));
    over.abort();
    await writing;
    expect(held.part.rows % 2).toBe(0);
    expect(await keeper.verify(held)).toEqual([]);
  });

  it("keeps connections, which see the change, and settings of the database", async () => {
    const { name, keeper, held, safetyOf } = await scene();
    const other = await connect(name);
    onTestFinished(async () => other.end());
    await other.query({ name: "prepared", text: "SELECT count(*)::int AS n FROM t" });
    await run(
      name,
      "DELETE FROM t WHERE id > 1; CREATE TABLE later (x int)",
      `ALTER DATABASE "${name}" SET work_mem = '5MB'`,
    );
    expect(await restore(keeper, held, await safetyOf())).toEqual({ kept: [], mismatches: [] });
    expect(
      (await other.query({ name: "prepared", text: "SELECT count(*)::int AS n FROM t" })).rows,
    ).toEqual([{ n: 3 }]);
    await expect(other.query("SELECT * FROM later")).rejects.toThrow("does not exist");
    expect(await run(name, "SHOW work_mem")).toEqual([{ work_mem: "5MB" }]);
    expect(await run(name, "INSERT INTO t (v) VALUES ('next') RETURNING id")).toEqual([{ id: 4 }]);
  });

  it("gives up when a transaction of somebody else stays open, and changes nothing", async () => {
    const { name, keeper, held, safetyOf, rowCount } = await scene();
    await run(name, "DELETE FROM t");
    const safety = await safetyOf();
    const other = await connect(name);
    onTestFinished(async () => other.end());
    await other.query("BEGIN; LOCK TABLE t IN ROW EXCLUSIVE MODE");
    await expect(restore(keeper, held, safety)).rejects.toMatchObject({ code: "database_busy" });
    await other.query("ROLLBACK");
    expect(await rowCount()).toBe(0);
  });

  it("[R65] is as it was when the restore is killed halfway, and can be restored then", async () => {
    const { name, keeper, held, safetyOf, rowCount } = await scene(100_000);
    await run(name, "DELETE FROM t WHERE id > 5");
    const safety = await safetyOf();
    const prepared = await keeper.prepare({ to: held, expected: safety, paths: null });
    const applying = prepared.apply().then(
      () => "done",
      () => "failed",
    );
    // As soon as rows go in, the connection is cut, which is what a kill of our side comes to for the server.
    const admin = await connect("postgres");
    let ended = 0;
    while (ended === 0) {
      const { rows } = await admin.query<{ pid: number }>(
        "SELECT pid, pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND application_name = 'waymark' AND state = 'active' AND query LIKE 'COPY%FROM stdin%'",
        [name],
      );
      ended = rows.length;
    }
    await admin.end();
    expect(await applying).toBe("failed");
    prepared.close();
    expect(await rowCount()).toBe(5);
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(await rowCount()).toBe(100_000);
  });

  it("goes the way back while the way there is still open", async () => {
    const { name, keeper, held, safetyOf, rowCount } = await scene();
    await run(name, "DELETE FROM t WHERE id > 1");
    const safety = await safetyOf();
    const unused = await keeper.prepare({ to: held, expected: safety, paths: null });
    expect(await restore(keeper, safety, held)).toEqual({ kept: [], mismatches: [] });
    unused.close();
    const used = await keeper.prepare({ to: held, expected: safety, paths: null });
    await used.apply();
    expect(await rowCount()).toBe(3);
    expect(await restore(keeper, safety, held)).toEqual({ kept: [], mismatches: [] });
    used.close();
    expect(await rowCount()).toBe(1);
  });

  it("brings back a database that was dropped, and takes that back", async () => {
    const { name, keeper, held, safetyOf, rowCount } = await scene();
    await run("postgres", `DROP DATABASE "${name}"`);
    const safety = await safetyOf();
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    expect(await rowCount()).toBe(3);
    expect(await restore(keeper, safety, held)).toEqual({ kept: [], mismatches: [] });
    expect(await run("postgres", `SELECT 1 FROM pg_database WHERE datname = '${name}'`)).toEqual(
      [],
    );
  });

  it("works for an ordinary owner, and refuses what belongs to others before it changes anything", async () => {
    const name = await newDatabase();
    await run(
      "postgres",
      `CREATE ROLE "ann ${count}" LOGIN PASSWORD 'ordinary'`,
      `ALTER DATABASE "${name}" OWNER TO "ann ${count}"`,
    );
    const own = `postgres://ann%20${count}:ordinary@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;
    const keeper = keeperIn(tempFolder(), { ...process.env, OWN: own });
    await run(name, `SET ROLE "ann ${count}"; CREATE TABLE t (x int); INSERT INTO t VALUES (1)`);
    const held = await holdInMemory(await keeper.capture({ url: "env:OWN" }));
    await run(name, `SET ROLE "ann ${count}"; DELETE FROM t; CREATE TABLE more (x int)`);
    const safety = await holdInMemory(await keeper.captureLike(held));
    expect(await restore(keeper, held, safety)).toEqual({ kept: [], mismatches: [] });
    await run(name, `CREATE TABLE of_admin (x int); GRANT SELECT ON of_admin TO "ann ${count}"`);
    const order = { to: safety, expected: held, paths: null };
    await expect(keeper.prepare(order)).rejects.toMatchObject({ code: "no_permission" });
  });

  it("says what is wrong: password, server, name, programs", async () => {
    const { name } = await scene();
    const wrong = (address: string) =>
      keeperIn(tempFolder(), { URL: address }).capture({ url: "env:URL" });
    const error = await wrong(url(name, "wr0ng-passw0rd")).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({
      code: "database_failed",
      hint: expect.stringContaining("password"),
    });
    expect(String(error)).not.toContain("wr0ng-passw0rd");
    expect(String(error)).not.toContain("psql: psql");
    await expect(wrong("postgres://admin@127.0.0.1:1/app")).rejects.toMatchObject({
      message: expect.stringMatching(/^psql: connection[^\t]*$/),
      hint: expect.stringContaining("running"),
    });
    await expect(wrong(url("no such"))).rejects.toMatchObject({
      message: expect.stringContaining("no database"),
    });
    const path = process.env["PATH"];
    onTestFinished(() => void (process.env["PATH"] = path));
    process.env["PATH"] = tempFolder();
    await expect(wrong(url(name))).rejects.toMatchObject({ code: "tool_missing" });
  });

  it("[R66] shows the password to nobody: not in a list of processes, not in a document", async () => {
    const { name, keeper, held, safetyOf } = await scene(20_000);
    const seen = new Set<string>();
    const watch = setInterval(() => {
      for (const pid of readdirSync("/proc").filter((entry) => /^\d+$/.test(entry))) {
        try {
          seen.add(readFileSync(`/proc/${pid}/cmdline`, "utf8"));
        } catch {
          // It ended.
        }
      }
    }, 2);
    onTestFinished(() => clearInterval(watch));
    await run(name, "DELETE FROM t");
    const safety = await safetyOf();
    await restore(keeper, held, safety);
    const commands = [...seen].join("\n");
    expect(commands).toContain("pg_restore");
    expect(commands).toContain("psql");
    const documents = [held, safety].map(
      ({ part, entries }) =>
        JSON.stringify(part) + entries.get("database/1/manifest.json")?.toString(),
    );
    for (const secret of [server.password, encodeURIComponent(server.password)]) {
      expect(commands).not.toContain(secret);
      expect(documents.join("\n")).not.toContain(secret);
    }
  });

  it("can be brought back by hand with the command that is described, from any folder", async () => {
    const { folder, name, keeper, held, rowCount } = await scene();
    publish(folder, held);
    await run(name, "DELETE FROM t; CREATE TABLE later (x int); CREATE SCHEMA late");
    const { commands } = await keeper.describe(held);
    expect(commands).toHaveLength(1);
    const command = commands[0] ?? "";
    expect(command).not.toContain(server.password);
    const env = { TEST_URL: url(name) };
    for (const git of FAILING_GIT) {
      const failed = byHand(command, env, git);
      expect([failed.status === 0, failed.left]).toEqual([false, []]);
    }
    const { dump } = Object.fromEntries(
      [...held.entries].map(([path, bytes]) => [path.split("/").at(-1), bytes.length]),
    );
    // As many bytes as it should be, but others.
    expect(byHand(command, env, `head -c ${dump} /dev/zero`).status).not.toBe(0);
    expect(byHand(command, { TEST_URL: url(name, "wrong") }).status).not.toBe(0);
    expect([await rowCount(), await run(name, "SELECT * FROM later")]).toEqual([0, []]);
    expect(byHand(command, env)).toEqual({ status: 0, stderr: "", left: [] });
    expect(await rowCount()).toBe(3);
    expect(await keeper.preview(held)).toMatchObject({ changes: [], kept: [] });
  });

  it("can be brought back by hand with everything that a database can hold", async () => {
    const real = await realDatabase();
    onTestFinished(() => real.close());
    await real.put(0);
    const folder = tempFolder();
    const keeper = keeperIn(folder, { ...process.env, ...real.env });
    const held = await holdInMemory(await keeper.capture({ url: real.url }));
    publish(folder, held);
    const before = await real.look();
    await real.put(1);
    const [command = ""] = (await keeper.describe(held)).commands;
    expect(byHand(command, real.env)).toMatchObject({ status: 0, left: [] });
    expect(await real.look()).toEqual(before);
  });

  it("[R65] is as it was when the restore is killed after its large objects", async () => {
    const name = await newDatabase();
    await run(
      name,
      `CREATE TABLE t (id int); INSERT INTO t SELECT generate_series(1, 4); SELECT lo_from_bytea(4711, '\\x010203');
       CREATE FUNCTION slow(i int) RETURNS int LANGUAGE plpgsql IMMUTABLE AS 'BEGIN PERFORM pg_sleep(0.5); RETURN i; END';
       CREATE INDEX slowly ON t (slow(id))`,
    );
    const keeper = keeperIn(tempFolder(), { ...process.env, TEST_URL: url(name) });
    const held = await holdInMemory(await keeper.capture({ url: "env:TEST_URL" }));
    await run(name, "DELETE FROM t WHERE id > 1; SELECT lo_unlink(4711)");
    const safety = await holdInMemory(await keeper.captureLike(held));
    const prepared = await keeper.prepare({ to: held, expected: safety, paths: null });
    const applying = prepared.apply().catch(() => "failed");
    const admin = await connect("postgres");
    const ended = async () =>
      (
        await admin.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'CREATE INDEX%'",
          [name],
        )
      ).rows.length;
    while ((await ended()) === 0) continue;
    await admin.end();
    expect(await applying).toBe("failed");
    prepared.close();
    expect(await run(name, "SELECT id FROM t")).toEqual([{ id: 1 }]);
    expect(await run(name, "SELECT oid FROM pg_largeobject_metadata")).toEqual([]);
  });

  it("warns at the capture that materialized views are computed anew", async () => {
    const { name, keeper, safetyOf } = await scene();
    await run(
      name,
      "CREATE MATERIALIZED VIEW totals AS SELECT count(*) AS n FROM t; CREATE MATERIALIZED VIEW unused AS SELECT 1 WITH NO DATA; INSERT INTO t (v) VALUES ('later')",
    );
    const captured = await keeper.capture({ url: "env:TEST_URL" });
    expect(captured.part.restorable).toBeUndefined();
    expect(captured.warnings).toEqual([
      expect.stringMatching(/materialized views is not captured.*: public\.totals$/),
    ]);
    const held = await holdInMemory(captured);
    await run(name, "DELETE FROM t");
    expect(await restore(keeper, held, await safetyOf())).toEqual({ kept: [], mismatches: [] });
    expect(await run(name, "SELECT n::int FROM totals")).toEqual([{ n: 4 }]);
  });

  it("warns at the capture when the user could not bring it back", async () => {
    const name = await newDatabase();
    const user = `kim ${count}`;
    await run(
      "postgres",
      `CREATE ROLE "${user}" LOGIN PASSWORD 'ordinary'`,
      `ALTER DATABASE "${name}" OWNER TO "${user}"`,
    );
    const own = `postgres://kim%20${count}:ordinary@127.0.0.1:${server.port}/${encodeURIComponent(name)}`;
    const keeper = keeperIn(tempFolder(), { ...process.env, OWN: own });
    const capture = async () => {
      const captured = await keeper.capture({ url: "env:OWN" });
      captured.discard();
      return captured;
    };
    await run(name, `SET ROLE "${user}"; CREATE TABLE mine (x int)`);
    const good = await capture();
    expect([good.part.restorable, good.warnings]).toEqual([undefined, []]);
    await run(name, `REVOKE UPDATE, DELETE, TRUNCATE ON mine FROM "${user}"`);
    const locked = await capture();
    expect(locked.part.restorable).toBe(false);
    expect(locked.warnings.join("\n")).toContain("lacks the right to lock tables: public.mine");
    await run(name, `CREATE TABLE theirs (x int); GRANT ALL ON theirs TO "${user}"`);
    const others = await capture();
    expect(others.part.restorable).toBe(false);
    expect(others.warnings.join("\n")).toContain(
      "lacks the right to drop objects of other owners: public.theirs",
    );
    await run("postgres", `ALTER DATABASE "${name}" OWNER TO "${server.user}"`);
    expect((await capture()).warnings.join("\n")).toContain("to create in the database");
  });
});
