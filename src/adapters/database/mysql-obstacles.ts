/** What keeps a database of MariaDB or MySQL from being exchanged without harm, whatever the user may do. */
import { Failure } from "../../domain/failure.ts";
import type { MysqlAddress } from "./database-address.ts";
import type { Reading } from "./database-content.ts";
import { historyAtRisk } from "./mysql-history.ts";
import { literal, names } from "./mysql-statements.ts";
import type { ToolSession } from "./tool-session.ts";

/**
 * A foreign key follows the table that it points to: tables that go aside would take keys of other databases along, and those
 * would point to nothing when they are dropped. `beside`: databases of ours, in which that is meant.
 */
async function keysFromElsewhere(
  session: ToolSession,
  database: string,
  beside: readonly string[],
): Promise<readonly string[]> {
  const own = [database, ...beside].map(literal).join(", ");
  return names(
    session,
    `SELECT DISTINCT hex(concat(table_schema, '.', table_name)) FROM information_schema.key_column_usage WHERE referenced_table_schema = ${literal(database)} AND table_schema NOT IN (${own}) ORDER BY 1;`,
  );
}

/** In words, each as the end of a sentence; empty: there is none. */
export async function mysqlObstacles(
  session: ToolSession,
  address: MysqlAddress,
  reading: Reading,
  beside: readonly string[] = [],
): Promise<readonly string[]> {
  const keys = await keysFromElsewhere(session, address.database, beside);
  const history = await historyAtRisk(session, address, reading);
  return [
    ...(keys.length === 0
      ? []
      : [`foreign keys of tables in other databases point to it: ${keys.join(", ")}`]),
    ...(history.length === 0
      ? []
      : [`these tables keep earlier versions of rows, which would be lost: ${history.join(", ")}`]),
  ];
}

export async function refuseObstacles(
  session: ToolSession,
  address: MysqlAddress,
  reading: Reading,
  beside: readonly string[],
): Promise<void> {
  const found = await mysqlObstacles(session, address, reading, beside);
  if (found.length === 0) return;
  throw new Failure("database_failed", `${address.label} cannot be restored: ${found.join("; ")}`, {
    hint: "Foreign keys: drop them (ALTER TABLE … DROP FOREIGN KEY …), run the command again, and add them afterwards. Earlier versions of rows: a checkpoint contains them if server and programs are MariaDB 10.11 or later; ALTER TABLE … DROP SYSTEM VERSIONING discards them. Nothing was changed.",
    details: { obstacles: found },
  });
}
