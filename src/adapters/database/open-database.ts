/** The right kind of database for an address. */
import type { DatabaseAddress } from "./database-address.ts";
import type { Database } from "./database.ts";
import type { WorkFolders } from "./work-folders.ts";

export async function openDatabase(
  address: DatabaseAddress,
  folders: WorkFolders,
  /** How long transactions of others may keep us waiting. */
  waitMs: number,
): Promise<Database> {
  switch (address.engine) {
    case "sqlite": {
      const { SqliteDatabase } = await import("./sqlite-database.ts");
      return new SqliteDatabase(address, folders, waitMs);
    }
    case "postgresql": {
      const { PostgresqlDatabase } = await import("./postgresql-database.ts");
      return new PostgresqlDatabase(address, folders, waitMs);
    }
    case "mysql": {
      const { MysqlDatabase } = await import("./mysql-database.ts");
      return new MysqlDatabase(address, folders, waitMs);
    }
  }
}
