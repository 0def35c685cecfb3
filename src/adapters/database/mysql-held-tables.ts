/**
 * Holds the tables of a database of MariaDB or MySQL for an exchange, in a connection of its own.
 *
 * RENAME TABLE to another database needs triggers to be gone, and MariaDB refuses it under LOCK TABLES (10.11). So one connection
 * waits for everybody else and holds the tables; then, and not before, triggers and events go; another connection asks for the
 * renaming, which queues up; and the first one lets go. Whoever gives up waiting has taken nothing away.
 */
import { setTimeout as sleep } from "node:timers/promises";
import type { MysqlAddress } from "./database-address.ts";
import { dropObjects, mysqlSession, names, quoted, TABLES_SQL } from "./mysql-statements.ts";
import type { ToolSession } from "./tool-session.ts";

/** How long the renaming may take to get in line. Letting go early is no harm: others may come first. */
const MOST_LOOKS = 100;
const LOOK_MS = 10;

export class HeldTables {
  readonly #session: ToolSession;
  readonly #database: string;

  private constructor(session: ToolSession, database: string) {
    this.#session = session;
    this.#database = database;
  }

  /** Fails with database_busy when somebody does not let go of one of them. */
  static async hold(
    address: MysqlAddress,
    database: string,
    waitSeconds: number,
  ): Promise<HeldTables> {
    const session = mysqlSession(address);
    try {
      const tables = await names(session, TABLES_SQL(database));
      const all = tables.map((table) => `${quoted(database)}.${quoted(table)} WRITE`);
      await session.ask(`SET SESSION lock_wait_timeout = ${waitSeconds};`);
      if (all.length > 0) await session.ask(`LOCK TABLES ${all.join(", ")};`);
      return new HeldTables(session, database);
    } catch (error) {
      session.close();
      throw error;
    }
  }

  dropTriggers(): Promise<void> {
    return dropObjects(this.#session, this.#database, ["TRIGGER"]);
  }

  /** Lets go as soon as the other connection is in line for them, and waits for what it does. */
  async handTo(other: ToolSession, work: () => Promise<void>): Promise<void> {
    const id = await other.ask("SELECT connection_id();");
    const working = { isOver: false };
    const done = work().finally(() => {
      working.isOver = true;
    });
    // Said below; until then nobody listens.
    done.catch(() => undefined);
    const isInLine = `SELECT count(*) FROM information_schema.processlist WHERE id = ${id} AND state LIKE 'Waiting for table%';`;
    for (let look = 0; look < MOST_LOOKS && !working.isOver; look += 1) {
      if ((await this.#session.ask(isInLine)) !== "0") break;
      await sleep(LOOK_MS);
    }
    await this.#session.ask("UNLOCK TABLES;");
    await done;
  }

  close(): void {
    this.#session.close();
  }
}
