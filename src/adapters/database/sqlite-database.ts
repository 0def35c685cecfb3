/**
 * A SQLite database, by the `sqlite3` program. A copy is made by SQLite's own online backup, inside of a read transaction: writers
 * may go on, and with a write-ahead log they do not even wait. Back it goes the same way, as one transaction of the
 * live database, so that programs that have it open see it as it was before or as it is after.
 */
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readSync,
  rmSync,
  statSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { inPrivateFolder } from "../../domain/by-hand.ts";
import { Failure } from "../../domain/failure.ts";
import { logsBeside } from "../files/database-logs.ts";
import { isMissing } from "../files/errors.ts";
import { makeFolders } from "../files/make-folders.ts";
import type { DatabaseContent, Reading } from "./database-content.ts";
import { sqliteFiles, type SqliteAddress } from "./database-address.ts";
import type { ByHand, Database, DatabaseRestore, Dump, DumpLimits, Judge } from "./database.ts";
import { overBudget } from "./over-budget.ts";
import { runTool, type Tool } from "./run-tool.ts";
import { contentOfSqlite } from "./sqlite-content.ts";
import { pageSizeOf } from "./sqlite-page-size.ts";
import { ToolSession, type SessionWords } from "./tool-session.ts";
import { quoteForShell } from "../../domain/shell-quote.ts";
import type { WorkFolders } from "./work-folders.ts";

const DUMP = "dump";
/** What every SQLite database begins with; an empty file is one as well. */
const HEADER = Buffer.from("SQLite format 3\0");
const SHELL = "sqlite3 -batch -bail -init /dev/null";
/** How often programs may write between look and exchange before we give up. */
const TRIES = 5;
const WORDS: SessionWords = {
  print: (text) => `SELECT '${text}';`,
  // Its stdout has a buffer that is written when it ends, stderr has none.
  answersOn: "stderr",
};

export class SqliteDatabase implements Database {
  readonly engine = "sqlite";
  readonly label: string;
  readonly source: string;
  readonly programs = ["sqlite3"];
  readonly #path: string;
  readonly #folders: WorkFolders;
  readonly #waitMs: number;

  constructor(address: SqliteAddress, folders: WorkFolders, waitMs: number) {
    this.label = address.label;
    this.source = address.source;
    this.#path = address.path;
    this.#folders = folders;
    this.#waitMs = waitMs;
  }

  async dump(folder: string, limits: DumpLimits): Promise<Dump | null> {
    const bytes = this.#size();
    if (bytes === undefined) return null;
    if (bytes > limits.maxBytes) throw overBudget(this.label, limits.maxBytes);
    if (bytes > 0) this.#checkHeader();
    await runTool(this.#onLive(folder), {
      input: this.#start() + this.#leaveLogAlone() + copyTo(DUMP),
    });
    limits.onBytes(statSync(join(folder, DUMP)).size);
    return { files: [DUMP], database: this.#path, warnings: [] };
  }

  async contentOf(folder: string, reading?: Reading): Promise<DatabaseContent> {
    const tool = sqlite(folder, ["-readonly", `file:${encodeURI(DUMP)}?immutable=1`]);
    const problems = await runTool(tool, { input: "PRAGMA integrity_check;\n" });
    if (problems.trim() !== "ok") {
      throw new Failure(
        "database_failed",
        `${this.label} is damaged: ${problems.slice(0, 500).trim()}`,
        {
          hint: "Repair it with SQLite's own `.recover` first.",
        },
      );
    }
    return contentOfSqlite(tool, reading);
  }

  async contentNow(reading?: Reading): Promise<DatabaseContent | null> {
    return this.#folders.use(async (folder) => {
      const dump = await this.dump(folder, { maxBytes: Infinity, onBytes: () => undefined });
      return dump === null ? null : this.contentOf(folder, reading);
    });
  }

  async prepareRestore(
    dump: string | null,
    _database: string,
    reading?: Reading,
  ): Promise<DatabaseRestore> {
    // Also says whether the program is there.
    await this.#folders.use((folder) =>
      runTool(sqlite(folder, [":memory:"]), { input: "SELECT 1;\n" }),
    );
    if (dump !== null) this.#refuseLeftLogs();
    return {
      apply: (judge) =>
        dump === null ? this.#remove(judge, reading) : this.#exchange(dump, judge, reading),
      close: () => undefined,
    };
  }

  async #exchange(
    dump: string,
    judge: Judge,
    reading: Reading | undefined,
  ): Promise<"replace" | "done" | "keep"> {
    if (this.#size() === undefined) {
      const verdict = judge(null);
      if (verdict === "replace") {
        this.#refuseLeftLogs();
        makeFolders(dirname(this.#path));
        await runTool(this.#onLive(dump), { input: `${this.#start()}.restore main ${DUMP}\n` });
      }
      return verdict;
    }
    for (let attempt = 0; attempt < TRIES; attempt += 1) {
      const verdict = await this.#folders.use((folder) =>
        this.#tryExchange(dump, folder, judge, reading),
      );
      if (verdict !== "again") return verdict;
    }
    throw new Failure("database_busy", `programs keep writing to ${this.label}`, {
      hint: "Stop them and run the command again; the database was not changed.",
    });
  }

  /** Looks and exchanges in one connection, which knows whether another one wrote in between. */
  async #tryExchange(
    dump: string,
    folder: string,
    judge: Judge,
    reading: Reading | undefined,
  ): Promise<"replace" | "done" | "keep" | "again"> {
    const session = new ToolSession(this.#onLive(folder), WORDS);
    try {
      await session.ask(`.output stderr\n${this.#start()}`);
      const before = await session.ask(`PRAGMA data_version;\n${copyTo(DUMP)}`);
      const verdict = judge(await this.contentOf(folder, reading));
      if (verdict !== "replace") return verdict;
      const source = join(dump, DUMP);
      // With a write-ahead log SQLite takes only pages of the same size. VACUUM would change rowids.
      const isInTheWay = await this.#hasLogOfOtherPages(session, source);
      if (isInTheWay) await session.ask("PRAGMA journal_mode=DELETE;");
      const isUnchanged = (await session.ask("PRAGMA data_version;")) === before;
      if (isUnchanged) await session.ask(`.restore main ${dotArgument(source)}`);
      if (isInTheWay) await session.ask("PRAGMA journal_mode=WAL;");
      if (!isUnchanged) return "again";
      return "replace";
    } finally {
      // A connection that is still closing moves its log, which the next one would take for somebody's write.
      await session.closed();
    }
  }

  async #hasLogOfOtherPages(session: ToolSession, copy: string): Promise<boolean> {
    const answer = await session.ask("PRAGMA journal_mode;\nPRAGMA page_size;");
    const [mode, pageSize] = answer.split("\n");
    return mode === "wal" && ![0, Number(pageSize)].includes(pageSizeOf(copy));
  }

  /** A log that is not spent holds what its database lacks. Without the database nobody captured it, and SQLite would delete it for a new one. */
  #refuseLeftLogs(): void {
    if (this.#size() !== undefined) return;
    const left = logsBeside(this.#path);
    if (left.length === 0) return;
    throw new Failure(
      "database_failed",
      `${this.label} does not exist, but its log does: ${left.join(", ")}`,
      {
        hint: "The log may contain the last commits. Put the database file back next to it, or move the log away too, and run the command again. Nothing was changed.",
        details: { files: left },
      },
    );
  }

  /** Only for the way back to a time when it was not there. */
  async #remove(judge: Judge, reading: Reading | undefined): Promise<"replace" | "done" | "keep"> {
    const verdict = judge(await this.contentNow(reading));
    if (verdict === "replace") {
      for (const file of sqliteFiles(this.#path)) rmSync(file, { force: true });
    }
    return verdict;
  }

  async missingRights(): Promise<readonly string[]> {
    // A journal is written beside it.
    const denied = [this.#path, dirname(this.#path)].filter((path) => !mayWrite(path));
    return denied.map((path) => `to write ${path}`);
  }

  byHand({ fetch }: ByHand): string {
    const path = quoteForShell(this.#path);
    return inPrivateFolder([
      fetch(DUMP),
      `test "$(${SHELL} -readonly ${DUMP} 'PRAGMA integrity_check;')" = ok`,
      `mkdir -p ${quoteForShell(dirname(this.#path))}`,
      `${SHELL} -cmd '.timeout 10000' ${path} '.restore main ${DUMP}'`,
    ]);
  }

  #start(): string {
    return `.timeout ${this.#waitMs}\n`;
  }

  #onLive(folder: string): Tool {
    return sqlite(folder, [this.#path]);
  }

  /**
   * The last connection that closes moves the log into the database and removes it. A log that is there already is
   * somebody's, or what a crash left: then nothing is moved.
   */
  #leaveLogAlone(): string {
    return existsSync(`${this.#path}-wal`) ? ".dbconfig no_ckpt_on_close on\n" : "";
  }

  #checkHeader(): void {
    const found = Buffer.alloc(HEADER.length);
    const fd = openSync(this.#path, "r");
    try {
      readSync(fd, found, 0, found.length, 0);
    } finally {
      closeSync(fd);
    }
    if (found.equals(HEADER)) return;
    throw new Failure("database_failed", `${this.label} is not a SQLite database`, {
      hint: "Name the file of the database. One that is encrypted cannot be captured.",
    });
  }

  #size(): number | undefined {
    try {
      const stat = statSync(this.#path);
      if (stat.isFile()) return stat.size;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
    throw new Failure("usage", `${this.label} is not a file`, {
      hint: "Name the file of a SQLite database.",
    });
  }
}

function mayWrite(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

function sqlite(cwd: string, args: readonly string[]): Tool {
  // No ~/.sqliterc: it could change how things are printed.
  const always = ["-batch", "-bail", "-init", "/dev/null", "-noheader", "-list"];
  return { program: "sqlite3", args: [...always, ...args], cwd, secrets: [] };
}

/** A read transaction that is open already keeps writers from starting the copy over and over. */
function copyTo(file: string): string {
  return `BEGIN;\nSELECT 1 FROM sqlite_master LIMIT 0;\n.backup main ${file}\nCOMMIT;\n`;
}

/** An argument of a dot command, which are read like strings of C. */
function dotArgument(text: string): string {
  return `"${text.replaceAll(/["\\]/g, String.raw`\$&`)}"`;
}
