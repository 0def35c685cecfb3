/**
 * A savepoint in a transaction of a database client that is open already: for the steps of a workflow that talk to a database
 * themselves. It is the database's own SAVEPOINT, so it costs nothing and lives as long as the transaction.
 */
import { Failure } from "../domain/failure.ts";

/**
 * What the clients that people use have in common: `pg`, `mariadb` and `mysql2` (promise) have `query`, better-sqlite3 and
 * node:sqlite have `exec`.
 */
export interface SavepointClient {
  query?(statement: string): unknown;
  exec?(statement: string): unknown;
}

export interface Savepoint {
  readonly name: string;
  /** Takes back everything since; the savepoint stays and can be used again. */
  rollbackTo(): Promise<void>;
  /**
   * Keeps everything since. Commits, if the savepoint had to begin the transaction itself.
   */
  release(): Promise<void>;
}

/** Clients in whose transaction one of our savepoints is, so that one inside of it does not begin another. */
const open = new WeakMap<SavepointClient, number>();
let count = 0;

export interface SavepointOptions {
  readonly name?: string;
  /** A transaction is open already; without it one is begun, unless the client says that it is in one. */
  readonly inTransaction?: boolean;
}

export async function savepoint(
  client: SavepointClient,
  options: SavepointOptions = {},
): Promise<Savepoint> {
  count += 1;
  const name = options.name ?? `waymark_${count}`;
  const quoted = quotedFor(client, name);
  const depth = open.get(client) ?? 0;
  const begins = depth === 0 && !(options.inTransaction ?? isInTransaction(client));
  if (begins) await run(client, "BEGIN");
  try {
    await run(client, `SAVEPOINT ${quoted}`);
  } catch (error) {
    if (begins) await run(client, "ROLLBACK");
    throw error;
  }
  open.set(client, depth + 1);
  let isReleased = false;
  const check = (): void => {
    if (!isReleased) return;
    throw new Failure("usage", `the savepoint ${name} was already released`, {
      hint: "Create a new one with savepoint(client).",
    });
  };
  return {
    name,
    rollbackTo: async () => {
      check();
      await run(client, `ROLLBACK TO SAVEPOINT ${quoted}`);
    },
    release: async () => {
      check();
      await run(client, `RELEASE SAVEPOINT ${quoted}`);
      if (begins) await run(client, "COMMIT");
      isReleased = true;
      open.set(client, depth);
    },
  };
}

async function run(client: SavepointClient, statement: string): Promise<void> {
  if (typeof client.query === "function") await client.query(statement);
  else if (typeof client.exec === "function") await client.exec(statement);
  else {
    throw new Failure("usage", "unsupported database client", {
      hint: "Pass an open client with a method query (pg, mariadb, mysql2/promise) or exec (better-sqlite3, node:sqlite).",
    });
  }
}

/** SQLite's clients know it; those of servers are told by the caller. */
function isInTransaction(client: SavepointClient): boolean {
  const { inTransaction, isTransaction } = client as Record<string, unknown>;
  return inTransaction === true || isTransaction === true;
}

/** MariaDB and MySQL quote names with backticks; their clients are known by what only they have. */
function quotedFor(client: SavepointClient, name: string): string {
  if (name === "" || name.includes("\0")) {
    throw new Failure("usage", "a savepoint needs a name", {
      hint: "Omit it to have one generated.",
    });
  }
  const isMysql = "beginTransaction" in client && "changeUser" in client;
  return isMysql ? `\`${name.replaceAll("`", "``")}\`` : `"${name.replaceAll('"', '""')}"`;
}
