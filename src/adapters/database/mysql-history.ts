/** Tables of MariaDB that keep earlier versions of their rows (WITH SYSTEM VERSIONING), and whether those can be captured and brought back. */
import type { MysqlAddress } from "./database-address.ts";
import type { Reading } from "./database-content.ts";
import { literal, names } from "./mysql-statements.ts";
import { DUMP_HISTORY, mysqlDumpHelp } from "./mysql-tools.ts";
import { runTool } from "./run-tool.ts";
import type { ToolSession } from "./tool-session.ts";

/** The first MariaDB that takes earlier versions of rows from a dump (system_versioning_insert_history). */
const SINCE = [10, 11] as const;

/** Options for a dump of the tables. What was captured before history was is compared without it. */
export async function historyOptions(
  session: ToolSession,
  address: MysqlAddress,
  database: string,
  reading: Reading,
): Promise<readonly string[]> {
  if (reading === 1 || (await versionedTables(session, database)).length === 0) return [];
  return (await canKeepHistory(session, address, database)) ? [DUMP_HISTORY] : [];
}

/** Tables whose earlier rows a rollback would lose. */
export async function historyAtRisk(
  session: ToolSession,
  address: MysqlAddress,
  reading: Reading,
): Promise<readonly string[]> {
  const { database } = address;
  const tables = await versionedTables(session, database);
  const isSafe =
    tables.length === 0 || (reading > 1 && (await canKeepHistory(session, address, database)));
  return isSafe ? [] : tables;
}

function versionedTables(session: ToolSession, database: string): Promise<readonly string[]> {
  return names(
    session,
    `SELECT hex(table_name) FROM information_schema.tables WHERE table_schema = ${literal(database)} AND table_type = 'SYSTEM VERSIONED' ORDER BY table_name;`,
  );
}

async function canKeepHistory(
  session: ToolSession,
  address: MysqlAddress,
  database: string,
): Promise<boolean> {
  const version = await session.ask("SELECT version();");
  const [, major = "0", minor = "0"] = /^(\d+)\.(\d+)\b.*mariadb/i.exec(version) ?? [];
  const [sinceMajor, sinceMinor] = SINCE;
  const isNewEnough =
    Number(major) > sinceMajor || (Number(major) === sinceMajor && Number(minor) >= sinceMinor);
  // Numbers of transactions mean nothing in another table; the server does not take them.
  const numbered = `SELECT count(*) FROM information_schema.columns WHERE table_schema = ${literal(database)} AND data_type = 'bigint' AND generation_expression = 'ROW START';`;
  if (!isNewEnough || (await session.ask(numbered)) !== "0") return false;
  return (await runTool(mysqlDumpHelp(address))).includes(DUMP_HISTORY.slice(2));
}
