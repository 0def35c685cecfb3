/**
 * A database of MariaDB or MySQL, by their own programs. Definitions are not transactional there, so the dump is read into a
 * database beside, and then all tables change places in one RENAME TABLE, which the server does as a whole or not at all.
 * `mysql-exchange.ts` has that part.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Failure } from "../../domain/failure.ts";
import { NEWEST_READING, type DatabaseContent, type Reading } from "./database-content.ts";
import type { MysqlAddress } from "./database-address.ts";
import type { ByHand, Database, DatabaseRestore, Dump, DumpLimits } from "./database.ts";
import { dumpToFile } from "./dump-to-file.ts";
import { mysqlByHand } from "./mysql-by-hand.ts";
import { contentOfDump, DUMP_FILES, tablesOfDump } from "./mysql-content.ts";
import { MysqlExchange } from "./mysql-exchange.ts";
import { historyOptions } from "./mysql-history.ts";
import { mysqlObstacles } from "./mysql-obstacles.ts";
import { mysqlMissingRights } from "./mysql-rights.ts";
import { mysqlSession, literal, names, TABLES_SQL, VIEWS_SQL } from "./mysql-statements.ts";
import { mysqlDump, type DumpPass } from "./mysql-tools.ts";
import type { ToolSession } from "./tool-session.ts";
import type { WorkFolders } from "./work-folders.ts";

/** Definitions are read before and after the rows; somebody may be changing them. */
const TRIES = 3;

export class MysqlDatabase implements Database {
  readonly engine = "mysql";
  readonly label: string;
  readonly source: string;
  readonly programs = ["mariadb"];
  readonly #address: MysqlAddress;
  readonly #folders: WorkFolders;
  readonly #waitMs: number;

  constructor(address: MysqlAddress, folders: WorkFolders, waitMs: number) {
    this.label = address.label;
    this.source = address.source;
    this.#address = address;
    this.#folders = folders;
    this.#waitMs = waitMs;
  }

  async dump(
    folder: string,
    limits: DumpLimits,
    reading: Reading = NEWEST_READING,
  ): Promise<Dump | null> {
    const session = mysqlSession(this.#address);
    try {
      const { database } = this.#address;
      if (!(await exists(session, database))) return null;
      for (let attempt = 0; attempt < TRIES; attempt += 1) {
        const before = await this.#definitions(session);
        const part = attempt === 0 ? folder : this.#folders.make();
        await this.#dumpTables(session, part, limits, reading);
        if (part !== folder) {
          writeFileSync(join(folder, "dump"), readFileSync(join(part, "dump")));
          this.#folders.remove(part);
        }
        if (before !== (await this.#definitions(session, folder))) continue;
        return { files: DUMP_FILES, database, warnings: await warnings(session, database) };
      }
    } finally {
      session.close();
    }
    throw new Failure("database_busy", `the definitions of ${this.label} keep changing`, {
      hint: "Wait until the migration has finished and run the command again.",
    });
  }

  contentOf(folder: string, reading?: Reading): Promise<DatabaseContent> {
    return contentOfDump(folder, reading);
  }

  async contentNow(reading?: Reading): Promise<DatabaseContent | null> {
    return (await this.lookNow(reading))?.content ?? null;
  }

  /** All of it, and its tables alone, which is what an exchange moves. */
  lookNow(
    reading: Reading = NEWEST_READING,
  ): Promise<{ readonly content: DatabaseContent; readonly tables: DatabaseContent } | null> {
    return this.#folders.use(async (folder) => {
      const limits = { maxBytes: Infinity, onBytes: () => undefined };
      if ((await this.dump(folder, limits, reading)) === null) return null;
      return {
        content: await contentOfDump(folder, reading),
        tables: await tablesOfDump(folder),
      };
    });
  }

  async finishInterrupted(): Promise<void> {
    const exchange = this.#exchange();
    try {
      await exchange.prepare(null);
    } finally {
      exchange.close();
    }
  }

  async prepareRestore(
    dump: string | null,
    _database: string,
    reading: Reading = NEWEST_READING,
  ): Promise<DatabaseRestore> {
    const exchange = this.#exchange(reading);
    try {
      await exchange.prepare(dump);
    } catch (error) {
      exchange.close();
      throw error;
    }
    return exchange;
  }

  #exchange(reading: Reading = NEWEST_READING): MysqlExchange {
    return new MysqlExchange(this.#address, this, this.#folders, this.#waitMs, reading);
  }

  byHand(hand: ByHand): string {
    return mysqlByHand(this.#address, hand);
  }

  missingRights(): Promise<readonly string[]> {
    return mysqlMissingRights(this.#address);
  }

  async obstacles(): Promise<readonly string[]> {
    const session = mysqlSession(this.#address);
    try {
      return await mysqlObstacles(session, this.#address, NEWEST_READING);
    } finally {
      session.close();
    }
  }

  async #dumpTables(
    session: ToolSession,
    folder: string,
    limits: DumpLimits,
    reading: Reading,
  ): Promise<void> {
    const { database } = this.#address;
    const views = await names(session, VIEWS_SQL(database));
    const left = views.map((view) => `--ignore-table=${database}.${view}`);
    const history = await historyOptions(session, this.#address, database, reading);
    const tool = mysqlDump(this.#address, "tables", database, [...history, ...left]);
    await dumpToFile(tool, join(folder, "dump"), this.label, limits);
  }

  /** Everything but the tables and their rows; with a folder it is written there as well. */
  async #definitions(session: ToolSession, folder?: string): Promise<string> {
    const { database } = this.#address;
    const views = await names(session, VIEWS_SQL(database));
    const tables = await names(session, TABLES_SQL(database));
    const all: string[] = [tables.join("\n")];
    const passes: readonly DumpPass[] = ["objects", "views", "events"];
    for (const pass of passes) {
      const text =
        pass === "views" && views.length === 0 ? "" : await this.definitionsOf(pass, views);
      if (folder !== undefined) writeFileSync(join(folder, pass), text, { mode: 0o600 });
      all.push(text);
    }
    return all.join("\n");
  }

  async definitionsOf(pass: DumpPass, views: readonly string[]): Promise<string> {
    return this.#folders.use(async (folder) => {
      const file = join(folder, pass);
      const tool = mysqlDump(
        this.#address,
        pass,
        this.#address.database,
        pass === "views" ? views : [],
      );
      await dumpToFile(tool, file, this.label, { maxBytes: Infinity, onBytes: () => undefined });
      return readFileSync(file, "utf8");
    });
  }
}

async function exists(session: ToolSession, database: string): Promise<boolean> {
  const sql = `SELECT count(*) FROM information_schema.schemata WHERE schema_name = ${literal(database)};`;
  return (await session.ask(sql)) === "1";
}

async function warnings(session: ToolSession, database: string): Promise<readonly string[]> {
  const name = literal(database);
  const loose = await names(
    session,
    `SELECT hex(table_name) FROM information_schema.tables WHERE table_schema = ${name} AND table_type = 'BASE TABLE' AND engine <> 'InnoDB';`,
  );
  const rounded = await names(
    session,
    `SELECT hex(concat(table_name, '.', column_name)) FROM information_schema.columns WHERE table_schema = ${name} AND data_type = 'float';`,
  );
  return [
    ...(loose.length === 0
      ? []
      : [`not InnoDB, so concurrent writes may be captured only in part: ${loose.join(", ")}`]),
    ...(rounded.length === 0
      ? []
      : [`FLOAT columns are dumped with about six digits: ${rounded.join(", ")}`]),
  ];
}
