/** Statements for MariaDB and MySQL, and the session in which they are asked. */
import type { MysqlAddress } from "./database-address.ts";
import { mysqlClient } from "./mysql-tools.ts";
import { ToolSession } from "./tool-session.ts";

export function mysqlSession(address: MysqlAddress): ToolSession {
  return new ToolSession(mysqlClient(address), {
    print: (text) => `SELECT '${text}';`,
    answersOn: "stdout",
  });
}

/** In hexadecimal: no sql_mode changes what a backslash means in it. */
export const literal = (text: string): string =>
  text === "" ? "''" : `CONVERT(X'${Buffer.from(text).toString("hex")}' USING utf8mb4)`;

export const quoted = (name: string): string => `\`${name.replaceAll("`", "``")}\``;

/** The answer of a query for hex(name). */
export async function names(session: ToolSession, sql: string): Promise<readonly string[]> {
  const answer = await session.ask(sql);
  return answer
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => Buffer.from(line, "hex").toString("utf8"));
}

export const TABLES_SQL = (database: string): string =>
  `SELECT hex(table_name) FROM information_schema.tables WHERE table_schema = ${literal(database)} AND table_type NOT IN ('VIEW', 'SYSTEM VIEW') ORDER BY table_name;`;

export const VIEWS_SQL = (database: string): string =>
  `SELECT hex(table_name) FROM information_schema.tables WHERE table_schema = ${literal(database)} AND table_type = 'VIEW' ORDER BY table_name;`;

/** Everything but the tables; the answers are hex(kind name). */
const OBJECTS_SQL = (database: string): string => {
  const name = literal(database);
  return [
    `SELECT hex(concat('EVENT ', event_name)) FROM information_schema.events WHERE event_schema = ${name}`,
    `SELECT hex(concat('TRIGGER ', trigger_name)) FROM information_schema.triggers WHERE trigger_schema = ${name}`,
    `SELECT hex(concat('VIEW ', table_name)) FROM information_schema.views WHERE table_schema = ${name}`,
    `SELECT hex(concat(routine_type, ' ', routine_name)) FROM information_schema.routines WHERE routine_schema = ${name}`,
  ].join(" UNION ALL ");
};

/** Everything but the tables, each as `kind name`. */
export function objectsIn(session: ToolSession, database: string): Promise<readonly string[]> {
  return names(session, `${OBJECTS_SQL(database)};`);
}

/** Drops everything but the tables, or only what is of one of these kinds. */
export async function dropObjects(
  session: ToolSession,
  database: string,
  kinds?: readonly string[],
): Promise<void> {
  const found = await objectsIn(session, database);
  const statements = found.flatMap((item) => {
    const [, kind = "", name = ""] = /^(PACKAGE BODY|\S+) (.*)$/s.exec(item) ?? [];
    const isMeant = kinds === undefined || kinds.includes(kind);
    return isMeant ? [`DROP ${kind} IF EXISTS ${quoted(database)}.${quoted(name)};`] : [];
  });
  if (statements.length > 0) await session.ask(statements.join("\n"));
}
