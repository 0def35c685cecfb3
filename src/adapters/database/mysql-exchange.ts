/**
 * Puts a dump in the place of a database of MariaDB or MySQL.
 *
 * Beside the database there are two others for the time of it: `…_new`, into which the dump is read, and `…_old`, into which the tables
 * go that are replaced. All tables change places in one statement. Triggers, views, routines and events cannot be
 * renamed. Triggers are in the way of it, so they are dropped before, but only when nobody else has to be waited for any more
 * (`mysql-held-tables.ts`); events too, lest one runs in between. The rest is dropped after, and all of it is made again. What is needed to finish that is written down in `…_new` first, so that
 * after a kill the next one ends it: back, if the tables have not changed places yet, and on, if they have. No row is
 * lost either way.
 */
import { createHash } from "node:crypto";
import { createReadStream, readFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { Failure } from "../../domain/failure.ts";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { MysqlAddress } from "./database-address.ts";
import { NEWEST_READING, type DatabaseContent, type Reading } from "./database-content.ts";
import type { DatabaseRestore, Judge } from "./database.ts";
import { dumpToFile } from "./dump-to-file.ts";
import { tablesOfDump } from "./mysql-content.ts";
import { definitionsWithout } from "./mysql-definitions.ts";
import type { MysqlDatabase } from "./mysql-database.ts";
import {
  dropObjects,
  literal,
  mysqlSession,
  names,
  objectsIn,
  quoted,
  TABLES_SQL,
  VIEWS_SQL,
} from "./mysql-statements.ts";
import { historyOptions } from "./mysql-history.ts";
import { HeldTables } from "./mysql-held-tables.ts";
import { refuseObstacles } from "./mysql-obstacles.ts";
import { GRANT_BESIDE } from "./mysql-rights.ts";
import { mysqlClient, mysqlDump } from "./mysql-tools.ts";
import { runToolSync } from "./run-tool.ts";
import type { ToolSession } from "./tool-session.ts";
import type { WorkFolders } from "./work-folders.ts";

/** In `…_new`, beside the tables of the dump. */
const PLAN = "waymark exchange";

interface Definitions {
  readonly objects: string;
  readonly events: string;
}

/** Of this process, by database. The way back may begin while the way there is still open, and then replaces it. */
const latest = new Map<string, MysqlExchange>();

export class MysqlExchange implements DatabaseRestore {
  readonly #address: MysqlAddress;
  readonly #database: MysqlDatabase;
  readonly #folders: WorkFolders;
  readonly #new: string;
  readonly #old: string;
  readonly #lock: string;
  readonly #waitSeconds: number;
  readonly #reading: Reading;
  #session: ToolSession | undefined;
  #dump: string | null = null;
  #isMade = false;
  /** Something of the live database was dropped. */
  #hasBegun = false;

  constructor(
    address: MysqlAddress,
    database: MysqlDatabase,
    folders: WorkFolders,
    waitMs: number,
    reading: Reading,
  ) {
    this.#reading = reading;
    this.#address = address;
    this.#database = database;
    this.#folders = folders;
    this.#waitSeconds = Math.ceil(waitMs / 1000);
    const tag = createHash("sha256").update(address.database).digest("hex").slice(0, 12);
    this.#new = `waymark_${tag}_new`;
    this.#old = `waymark_${tag}_old`;
    this.#lock = `waymark_${tag}`;
  }

  async prepare(dump: string | null): Promise<void> {
    this.#dump = dump;
    const session = await this.#open();
    await this.#finishInterrupted(session);
    if (dump === null) return;
    await this.#refuseObstacles(session);
    await this.#makeBeside(session);
    this.#isMade = true;
    await session.ask(`USE ${quoted(this.#new)};`);
    await session.feed(createReadStream(join(dump, "dump")));
    await session.ask("COMMIT;");
    // Whether they can be made shows here and not halfway. Not events: they would run.
    const { objects } = this.#definitionsIn(dump);
    await session.feed(Readable.from([objects]));
    await session.ask("");
    await dropObjects(session, this.#new);
  }

  async apply(judge: Judge): Promise<"replace" | "done" | "keep"> {
    const look = await this.#database.lookNow(this.#reading);
    const now = look?.tables ?? null;
    const verdict = judge(look?.content ?? null);
    if (verdict !== "replace") return verdict;
    const session = this.#session ?? (await this.#open());
    await this.#refuseObstacles(session);
    if (this.#dump === null) {
      await session.ask(`DROP DATABASE ${quoted(this.#address.database)};`);
      return verdict;
    }
    const after = this.#definitionsIn(this.#dump);
    if (now === null) await this.#createLike(session, this.#new, this.#address.database);
    const plan = await this.#writePlan(session, after, now);
    try {
      return (await this.#changePlaces(session, plan)) ? "replace" : "keep";
    } catch (error) {
      this.close();
      const again = await this.#open();
      if (!this.#hasBegun) {
        await this.#removeBeside(again);
        throw error;
      }
      // Back, also when the tables have changed places: that was a moment ago.
      await this.#takeBack(again);
      await this.#removeBeside(again);
      throw error;
    }
  }

  close(): void {
    if (latest.get(this.#address.source) === this) latest.delete(this.#address.source);
    this.#session?.close();
    this.#session = undefined;
    if (!this.#isMade) return;
    this.#isMade = false;
    // Only what was never used: one with a plan is needed to finish.
    const sql = `SELECT count(*) INTO @used FROM information_schema.tables WHERE table_schema = ${literal(this.#new)} AND table_name = ${literal(PLAN)};
SET @sql = IF(@used = 0, ${literal(`DROP DATABASE IF EXISTS ${quoted(this.#new)}`)}, 'DO 0');
PREPARE step FROM @sql; EXECUTE step;
SET @sql = IF(@used = 0, ${literal(`DROP DATABASE IF EXISTS ${quoted(this.#old)}`)}, 'DO 0');
PREPARE step FROM @sql; EXECUTE step;`;
    // If it fails the next one removes it.
    runToolSync(mysqlClient(this.#address), sql);
  }

  /** Only one at a time: the names beside are always the same, so that the next one finds them. */
  async #open(): Promise<ToolSession> {
    const earlier = latest.get(this.#address.source);
    if (earlier !== this) earlier?.close();
    latest.set(this.#address.source, this);
    const session = mysqlSession(this.#address);
    this.#session = session;
    const answer = await session.ask(
      `SET SESSION lock_wait_timeout = ${this.#waitSeconds}, foreign_key_checks = 0;\nSELECT GET_LOCK('${this.#lock}', ${this.#waitSeconds});`,
    );
    if (answer === "1") return session;
    throw new Failure(
      "database_busy",
      `another rollback of ${this.#address.label} is in progress`,
      {
        hint: "Wait until it has finished and run the command again.",
      },
    );
  }

  #refuseObstacles(session: ToolSession): Promise<void> {
    return refuseObstacles(session, this.#address, this.#reading, [this.#new, this.#old]);
  }

  async #makeBeside(session: ToolSession): Promise<void> {
    try {
      for (const side of [this.#new, this.#old]) {
        await this.#createLike(session, this.#address.database, side);
      }
    } catch (error) {
      if (!(error instanceof Failure) || !/denied/i.test(error.message)) throw error;
      throw new Failure(
        "no_permission",
        `the user may not create a database next to ${this.#address.label}`,
        {
          hint: `A rollback needs a temporary one. Run as an administrator: ${GRANT_BESIDE}. Nothing was changed.`,
          cause: error,
        },
      );
    }
  }

  async #createLike(session: ToolSession, model: string, name: string): Promise<void> {
    const set = await session.ask(
      `SELECT concat(default_character_set_name, ' COLLATE ', default_collation_name) FROM information_schema.schemata WHERE schema_name = ${literal(model)};`,
    );
    const settings = /^\w+ COLLATE \w+$/.test(set) ? ` CHARACTER SET ${set}` : "";
    await session.ask(`CREATE DATABASE ${quoted(name)}${settings};`);
  }

  async #writePlan(
    session: ToolSession,
    after: Definitions,
    now: DatabaseContent | null,
  ): Promise<Plan> {
    const views = now === null ? [] : await names(session, VIEWS_SQL(this.#address.database));
    const before: Definitions =
      now === null
        ? { objects: "", events: "" }
        : {
            objects: `${await this.#database.definitionsOf("objects", [])}\n${views.length === 0 ? "" : await this.#database.definitionsOf("views", views)}`,
            events: await this.#database.definitionsOf("events", []),
          };
    const plan: Plan = {
      before,
      after,
      rows: now?.tables ?? {},
      definitions: now?.schema ?? null,
      reading: this.#reading,
    };
    await session.ask(
      `CREATE TABLE ${quoted(this.#new)}.${quoted(PLAN)} (plan LONGBLOB) ENGINE=InnoDB;
INSERT INTO ${quoted(this.#new)}.${quoted(PLAN)} VALUES (X'${Buffer.from(JSON.stringify(plan)).toString("hex")}');
COMMIT;`,
    );
    return plan;
  }

  /** false: somebody wrote in between; everything is as it was. */
  async #changePlaces(session: ToolSession, plan: Plan): Promise<boolean> {
    const live = this.#address.database;
    await this.#dropViewsInTheWay(session);
    const held = await HeldTables.hold(this.#address, live, this.#waitSeconds);
    try {
      this.#hasBegun = true;
      await held.dropTriggers();
      await dropObjects(session, live, ["EVENT"]);
      await held.handTo(session, () =>
        this.#rename(session, [
          [live, this.#old],
          [this.#new, live],
        ]),
      );
    } finally {
      held.close();
    }
    await dropObjects(session, live);
    await this.#define(session, plan.after);
    if (!(await this.#isInOld(session, plan))) {
      await this.#takeBack(session);
      await this.#removeBeside(session);
      return false;
    }
    await this.#removeBeside(session);
    return true;
  }

  /** Views that are called like a table that comes. Before tables are held: what triggers name, also a view, is held with them. */
  async #dropViewsInTheWay(session: ToolSession): Promise<void> {
    const live = this.#address.database;
    const coming = new Set(await names(session, TABLES_SQL(this.#new)));
    const views = (await names(session, VIEWS_SQL(live))).filter((view) => coming.has(view));
    if (views.length === 0) return;
    this.#hasBegun = true;
    const all = views.map((view) => `${quoted(live)}.${quoted(view)}`);
    await session.ask(`DROP VIEW ${all.join(", ")};`);
  }

  async #rename(
    session: ToolSession,
    moves: readonly (readonly [from: string, to: string])[],
  ): Promise<void> {
    const steps: string[] = [];
    for (const [from, to] of moves) {
      const tables = await names(session, TABLES_SQL(from));
      for (const table of tables) {
        if (table === PLAN) continue;
        steps.push(`${quoted(from)}.${quoted(table)} TO ${quoted(to)}.${quoted(table)}`);
      }
    }
    if (steps.length > 0) await session.ask(`RENAME TABLE ${steps.join(", ")};`);
  }

  async #define(session: ToolSession, { objects, events }: Definitions): Promise<void> {
    await session.ask(`USE ${quoted(this.#address.database)};`);
    await session.feed(Readable.from([`${objects}\n${events}\n`]));
    await session.ask("SET SESSION foreign_key_checks = 0;");
  }

  /** For tables that have stayed: what is there was never dropped, or somebody made it since. */
  async #defineMissing(session: ToolSession, { objects, events }: Definitions): Promise<void> {
    const live = this.#address.database;
    const tables = await names(session, TABLES_SQL(live));
    // Where there is a table by now, no view can be.
    const present = [
      ...(await objectsIn(session, live)),
      ...tables.map((table) => `VIEW ${table}`),
    ];
    await this.#define(session, {
      objects: definitionsWithout(objects, present),
      events: definitionsWithout(events, present),
    });
  }

  /** As it was before the exchange, whether the tables have changed places or not. */
  async #takeBack(session: ToolSession): Promise<void> {
    const plan = await this.#readPlan(session);
    if (plan === undefined) return;
    if (!(await this.#hasChangedPlaces(session, plan))) {
      await this.#defineMissing(session, plan.before);
      return;
    }
    const live = this.#address.database;
    await dropObjects(session, live);
    await this.#rename(session, [
      [live, this.#new],
      [this.#old, live],
    ]);
    await this.#define(session, plan.before);
  }

  async #finishInterrupted(session: ToolSession): Promise<void> {
    const plan = await this.#readPlan(session);
    if (plan !== undefined) {
      if (await this.#hasChangedPlaces(session, plan)) {
        await dropObjects(session, this.#address.database);
        await this.#define(session, plan.after);
        await this.#checkOld(session, plan);
      } else {
        await this.#defineMissing(session, plan.before);
      }
    }
    await this.#removeBeside(session);
  }

  /** What was replaced by an exchange that was killed is dropped only if it is what was expected. */
  async #checkOld(session: ToolSession, plan: Plan): Promise<void> {
    if (await this.#isInOld(session, plan)) return;
    throw new Failure("database_failed", `${this.#old} contains data that no checkpoint contains`, {
      hint: `Another program wrote to ${this.#address.label} during a rollback that was killed. Look at ${this.#old}, copy what you need, drop it and ${this.#new}, and run the command again.`,
    });
  }

  /** The tables of the dump are no longer beside. A dump without tables leaves those that were replaced. */
  async #hasChangedPlaces(session: ToolSession, plan: Plan): Promise<boolean> {
    const waiting = await names(session, TABLES_SQL(this.#new));
    const replaced = await names(session, TABLES_SQL(this.#old));
    if (replaced.length > 0) return true;
    return Object.keys(plan.rows).length === 0 && waiting.every((table) => table === PLAN);
  }

  async #readPlan(session: ToolSession): Promise<Plan | undefined> {
    const tables = await names(session, TABLES_SQL(this.#new));
    if (!tables.includes(PLAN)) return undefined;
    const hex = await session.ask(`SELECT hex(plan) FROM ${quoted(this.#new)}.${quoted(PLAN)};`);
    // Killed between making the table and filling it: nothing was done yet.
    if (hex === "") return undefined;
    return JSON.parse(Buffer.from(hex, "hex").toString("utf8")) as Plan;
  }

  /** The plan last: as long as it is there, the next one knows what to do. */
  async #removeBeside(session: ToolSession): Promise<void> {
    for (const name of [this.#old, this.#new]) {
      // Looked for first: who may not drop it may still have a database without it.
      const found = await session.ask(
        `SELECT count(*) FROM information_schema.schemata WHERE schema_name = ${literal(name)};`,
      );
      if (found === "1") await session.ask(`DROP DATABASE ${quoted(name)};`);
    }
    this.#isMade = false;
  }

  /** Whether what was moved aside is this and nothing else, also as it is defined. */
  #isInOld(session: ToolSession, plan: Plan): Promise<boolean> {
    return this.#folders.use(async (folder) => {
      const { rows, definitions, reading = 1 } = plan;
      const history = await historyOptions(session, this.#address, this.#old, reading);
      const tool = mysqlDump(this.#address, "tables", this.#old, history);
      const limits = { maxBytes: Infinity, onBytes: () => undefined };
      await dumpToFile(tool, join(folder, "dump"), this.#address.label, limits);
      // A plan of an older version says nothing about definitions, and has rows as that version read them.
      const found = await tablesOfDump(folder, definitions === undefined ? 1 : NEWEST_READING);
      const isDefinedSo = (definitions ?? found.schema) === found.schema;
      return isDefinedSo && canonicalJson(found.tables) === canonicalJson(rows);
    });
  }

  #definitionsIn(dump: string): Definitions {
    const read = (file: string): string => readFileSync(join(dump, file), "utf8");
    return { objects: `${read("objects")}\n${read("views")}`, events: read("events") };
  }
}

interface Plan {
  readonly before: Definitions;
  readonly after: Definitions;
  /** What is replaced, by its checksums. */
  readonly rows: DatabaseContent["tables"];
  /** Checksum over how its tables are defined; null: there was no such database. */
  readonly definitions?: string | null;
  /** Of the way in which it was dumped, with earlier versions of rows or without. Absent: as of an older version. */
  readonly reading?: Reading;
}
