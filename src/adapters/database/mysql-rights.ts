/**
 * Whether a user of MariaDB or MySQL may do what bringing a database back needs. The server is asked to do it with a table that is
 * not there: who may not is told so, who may is told that there is no such table.
 */
import { randomBytes } from "node:crypto";
import { Failure } from "../../domain/failure.ts";
import type { MysqlAddress } from "./database-address.ts";
import { quoted } from "./mysql-statements.ts";
import { mysqlClient } from "./mysql-tools.ts";
import { runTool } from "./run-tool.ts";

/** For an administrator. */
export const GRANT_BESIDE = "GRANT ALL ON `waymark\\_%`.* TO the user";

export async function mysqlMissingRights(address: MysqlAddress): Promise<readonly string[]> {
  const nothing = `waymark_${randomBytes(8).toString("hex")}`;
  const beside = `${quoted(nothing)}.t`;
  const here = `${quoted(address.database)}.${quoted(nothing)}`;
  const [isClosedBeside, isClosedHere] = await Promise.all([
    isAnyDenied(address, [`CREATE TABLE ${beside} (x INT);`, `DROP TABLE ${beside};`]),
    isAnyDenied(address, [
      `INSERT INTO ${here} VALUES (1);`,
      `ALTER TABLE ${here} COMMENT = '';`,
      `DROP TABLE ${here};`,
      `LOCK TABLES ${here} WRITE;`,
    ]),
  ]);
  return [
    ...(isClosedBeside ? [`to create a temporary database next to it (${GRANT_BESIDE})`] : []),
    ...(isClosedHere
      ? ["to change, lock and drop its tables (INSERT, ALTER, LOCK TABLES, DROP)"]
      : []),
  ];
}

async function isAnyDenied(address: MysqlAddress, statements: readonly string[]): Promise<boolean> {
  const answers = await Promise.all(statements.map((statement) => isDenied(address, statement)));
  return answers.includes(true);
}

async function isDenied(address: MysqlAddress, statement: string): Promise<boolean> {
  try {
    await runTool(mysqlClient(address), { input: statement });
  } catch (error) {
    return error instanceof Failure && /denied/i.test(error.message);
  }
  return false;
}
