/**
 * A PostgreSQL database, by psql, pg_dump and pg_restore. It is brought back inside of one transaction of the database itself:
 * writers are held, what is there is compared, everything is dropped and made again. Until it is committed nobody sees
 * anything of it, and a kill leaves it as it was. Connections stay; those in the middle of a transaction are waited for.
 */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { inPrivateFolder } from "../../domain/by-hand.ts";
import { Failure } from "../../domain/failure.ts";
import type { DatabaseContent } from "./database-content.ts";
import { conninfoValue, type PostgresqlAddress } from "./database-address.ts";
import type { ByHand, Database, DatabaseRestore, Dump, DumpLimits, Judge } from "./database.ts";
import { dumpToFile } from "./dump-to-file.ts";
import { clearSql, HOLD_WRITERS_SQL, MISSING_RIGHTS_SQL } from "./postgresql-clear.ts";
import { passwordSteps } from "./password-step.ts";
import { PostgresqlContentReader } from "./postgresql-content.ts";
import { runTool, startTool, type Tool } from "./run-tool.ts";
import { quoteForShell } from "../../domain/shell-quote.ts";
import { ToolSession, type SessionWords } from "./tool-session.ts";
import type { WorkFolders } from "./work-folders.ts";

const DUMP = "dump";
/** SQL that removes what is there before the dump is read. */
const CLEAR = "clear";
const CONNECT_SECONDS = "10";
const WORDS: SessionWords = { print: (text) => `\\echo ${text}`, answersOn: "stdout" };
/** Exists on every server. */
const MAINTENANCE = "postgres";

interface MissingRights {
  readonly others: readonly string[];
  readonly locked: readonly string[];
  readonly schemas: readonly string[];
}

interface ServerFacts {
  readonly database: string;
  readonly version: number;
  readonly subscriptions: number;
  /** Materialized views that hold rows: those are not in a dump, which only says that they are to be computed. */
  readonly computed: readonly string[];
}

export class PostgresqlDatabase implements Database {
  readonly engine = "postgresql";
  readonly label: string;
  readonly source: string;
  readonly programs = ["pg_restore", "psql"];
  readonly #address: PostgresqlAddress;
  readonly #folders: WorkFolders;
  readonly #waitMs: number;

  constructor(address: PostgresqlAddress, folders: WorkFolders, waitMs: number) {
    this.label = address.label;
    this.source = address.source;
    this.#address = address;
    this.#folders = folders;
    this.#waitMs = waitMs;
  }

  async dump(folder: string, limits: DumpLimits): Promise<Dump | null> {
    const facts = await this.#facts();
    if (facts === null) return null;
    if (facts.subscriptions > 0) {
      throw new Failure("usage", `${this.label} is a subscriber of logical replication`, {
        hint: "Its content comes from another server and cannot be rolled back here; do not include it.",
      });
    }
    await this.#dumpTo(folder, limits);
    const list = await listOf(folder);
    // Whoever has no Waymark any more needs it as well.
    const clear = `SET lock_timeout = '${this.#waitMs}ms';${clearSql(extensionsIn(list))}\n`;
    writeFileSync(join(folder, CLEAR), clear, { mode: 0o600 });
    const warnings =
      facts.computed.length === 0
        ? []
        : [
            `the content of materialized views is not captured; a rollback refreshes them: ${facts.computed.join(", ")}`,
          ];
    return { files: [DUMP, CLEAR], database: facts.database, warnings };
  }

  #dumpTo(folder: string, limits: DumpLimits): Promise<void> {
    const tool = this.#tool("pg_dump", ["-Fc", "--no-password"]);
    return dumpToFile(tool, join(folder, DUMP), this.label, limits);
  }

  contentOf(folder: string): Promise<DatabaseContent> {
    return readScript(scriptOf(["-f", "-", join(folder, DUMP)]));
  }

  async contentNow(): Promise<DatabaseContent | null> {
    if ((await this.#facts()) === null) return null;
    return this.#folders.use(async (folder) => {
      await this.#dumpTo(folder, { maxBytes: Infinity, onBytes: () => undefined });
      return this.contentOf(folder);
    });
  }

  async prepareRestore(dump: string | null, database: string): Promise<DatabaseRestore> {
    const facts = await this.#facts();
    if (facts !== null) await this.#checkRights();
    const list = dump === null ? "" : await listOf(dump);
    return {
      apply: (judge) =>
        dump === null ? this.#remove(judge, database) : this.#exchange(dump, list, judge, database),
      close: () => undefined,
    };
  }

  async #exchange(
    dump: string,
    list: string,
    judge: Judge,
    database: string,
  ): Promise<"replace" | "done" | "keep"> {
    if ((await this.#facts()) === null) {
      const verdict = judge(null);
      if (verdict !== "replace") return verdict;
      await this.#onServer(`CREATE DATABASE ${identifier(database)} TEMPLATE template0;`);
      await this.#fill(dump, list, () => Promise.resolve("replace"));
      return verdict;
    }
    return this.#fill(dump, list, async () => judge(await this.contentNow()));
  }

  async #fill(
    dump: string,
    list: string,
    look: () => Promise<"replace" | "done" | "keep">,
  ): Promise<"replace" | "done" | "keep"> {
    const session = this.#session();
    try {
      await session.ask(
        `BEGIN;\nSET LOCAL lock_timeout = '${this.#waitMs}ms';\n${HOLD_WRITERS_SQL}`,
      );
      const verdict = await look();
      if (verdict !== "replace") return verdict;
      await session.ask(clearSql(extensionsIn(list)));
      const staying = await session.ask(STAYING_SQL);
      const chosen = join(dump, "list");
      writeFileSync(chosen, without(list, staying), { mode: 0o600 });
      // Without -1 the script commits after large objects, in the middle. With it, COMMIT is its last statement.
      await this.#runScript(session, ["-1", "-f", "-", "-L", chosen, join(dump, DUMP)]);
      await session.ask("");
      return verdict;
    } finally {
      session.close();
    }
  }

  async #runScript(session: ToolSession, args: readonly string[]): Promise<void> {
    const tool = scriptOf(args);
    const child = startTool(tool);
    child.stdin.end();
    const ended = new Promise<number | null>((resolve, reject) => {
      child.on("error", reject);
      child.on("close", resolve);
    });
    // Looked at below, after the stream, which may fail first.
    ended.catch(() => undefined);
    try {
      await session.feed(child.stdout);
      if ((await ended) !== 0) throw new Error("pg_restore failed");
    } catch (error) {
      child.kill();
      if (error instanceof Failure) throw error;
      throw new Failure(
        "restore_failed",
        `the dump of ${this.label} could not be read completely`,
        {
          hint: "The database was not changed. `waymark validate` checks the checkpoint.",
          cause: error,
        },
      );
    }
  }

  /** Only for the way back to a time when it was not there. Fails while anybody is connected. */
  async #remove(judge: Judge, database: string): Promise<"replace" | "done" | "keep"> {
    const verdict = judge(await this.contentNow());
    if (verdict === "replace") await this.#onServer(`DROP DATABASE ${identifier(database)};`);
    return verdict;
  }

  byHand({ fetch, database }: ByHand): string {
    const { connection } = this.#address;
    const to = quoteForShell(connection === "" ? this.#connection(database) : connection);
    return inPrivateFolder([
      fetch(DUMP),
      fetch(CLEAR),
      `pg_restore -1 -f script ${DUMP}`,
      ...passwordSteps(this.#address, "PGPASSWORD"),
      // Without its last statement, which is COMMIT, nothing of it happens.
      `{ echo 'BEGIN;' && cat ${CLEAR} script; } | psql -X -q -v ON_ERROR_STOP=1 -d ${to} > answers`,
    ]);
  }

  async missingRights(): Promise<readonly string[]> {
    const answer = await this.#query(MISSING_RIGHTS_SQL);
    const { others, locked, schemas } = JSON.parse(answer) as MissingRights;
    const unlocked = locked.filter((name) => !others.includes(name));
    return [
      ...(others.length === 0 ? [] : [`to drop objects of other owners: ${others.join(", ")}`]),
      ...(unlocked.length === 0 ? [] : [`to lock tables: ${unlocked.join(", ")}`]),
      ...(schemas.length === 0 ? [] : [`to create in ${schemas.join(", ")}`]),
    ];
  }

  /** null: the server is there, the database is not. */
  async #facts(): Promise<ServerFacts | null> {
    try {
      const answer = await this.#query(
        "SELECT json_build_object('database', current_database(), 'version', current_setting('server_version_num')::int, 'subscriptions', (SELECT count(*) FROM pg_subscription s JOIN pg_database d ON d.oid = s.subdbid WHERE d.datname = current_database()), 'computed', (SELECT coalesce(json_agg(schemaname || '.' || matviewname ORDER BY 1), '[]') FROM pg_matviews WHERE ispopulated));",
      );
      return JSON.parse(answer) as ServerFacts;
    } catch (error) {
      if (await this.#isAbsent()) return null;
      throw error;
    }
  }

  async #isAbsent(): Promise<boolean> {
    const { database } = this.#address;
    if (database === null) return false;
    try {
      const name = database.replaceAll("'", "''");
      const sql = `SELECT count(*) FROM pg_database WHERE datname = '${name}';`;
      return (await this.#onServer(sql)).trim() === "0";
    } catch {
      // What the first attempt said is the better reason.
      return false;
    }
  }

  async #checkRights(): Promise<void> {
    const missing = await this.missingRights();
    if (missing.length === 0) return;
    throw new Failure(
      "no_permission",
      `the user of ${this.label} lacks the right ${missing.join(", and the right ")}`,
      { hint: "Connect as their owner or as a superuser; nothing was changed." },
    );
  }

  #query(sql: string): Promise<string> {
    return runTool(this.#tool("psql", PSQL), { input: sql });
  }

  #onServer(sql: string): Promise<string> {
    return runTool(this.#tool("psql", PSQL, MAINTENANCE), { input: sql });
  }

  #session(): ToolSession {
    return new ToolSession(this.#tool("psql", PSQL), WORDS);
  }

  #tool(program: string, args: readonly string[], database: string | null = null): Tool {
    const connection = this.#connection(database);
    const { password } = this.#address;
    return {
      program,
      args: connection === "" ? args : [...args, "-d", connection],
      env: {
        PGCONNECT_TIMEOUT: CONNECT_SECONDS,
        PGAPPNAME: "waymark",
        ...(password === null ? {} : { PGPASSWORD: password }),
      },
      secrets: this.#address.secrets,
    };
  }

  #connection(database: string | null): string {
    const { connection } = this.#address;
    if (database === null) return connection;
    if (connection === "") return `dbname=${conninfoValue(database)}`;
    if (!connection.includes("://")) return `${connection} dbname=${conninfoValue(database)}`;
    const [, server = "", settings = ""] =
      /^([a-z]+:\/\/[^/?]*)(?:\/[^?]*)?(\?.*)?$/.exec(connection) ?? [];
    return `${server}/${database}${settings}`;
  }
}

const PSQL = ["-X", "-A", "-t", "-q", "-w", "-v", "ON_ERROR_STOP=1"];

function scriptOf(args: readonly string[]): Tool {
  return { program: "pg_restore", args, secrets: [] };
}

/** The table of contents of the dump in this folder. */
function listOf(folder: string): Promise<string> {
  return runTool(scriptOf(["-l", join(folder, DUMP)]));
}

async function readScript(tool: Tool): Promise<DatabaseContent> {
  const reader = new PostgresqlContentReader();
  await runTool(tool, { onData: (chunk) => reader.push(chunk) });
  return reader.end();
}

/** Lines of a table of contents: `3; 3079 16384 EXTENSION - pgcrypto `. */
const EXTENSION = /^\d+; \d+ \d+ EXTENSION - (\S+)/;

function extensionsIn(list: string): readonly string[] {
  return list.split("\n").flatMap((line) => EXTENSION.exec(line)?.[1] ?? []);
}

/** Extensions and schemas that were not dropped: the dump must not make them again. */
const STAYING_SQL =
  "SELECT 'EXTENSION - ' || extname FROM pg_catalog.pg_extension UNION ALL SELECT 'SCHEMA - ' || nspname FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\\_%';";

function without(list: string, staying: string): string {
  const names = staying.split("\n").filter((name) => name !== "");
  return list
    .split("\n")
    .filter((line) => {
      const entry = /^\d+; \d+ \d+ (?:COMMENT - )?(.*)$/.exec(line)?.[1] ?? "";
      const isComment = /^\d+; \d+ \d+ COMMENT - EXTENSION/.test(line);
      return !names.some((name) => {
        const words = isComment ? name.replace(" - ", " ") : name;
        return entry === words || entry.startsWith(`${words} `);
      });
    })
    .join("\n");
}

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`;
