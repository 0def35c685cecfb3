/** How the programs of MariaDB and MySQL are called for one database server. */
import { accessSync, constants } from "node:fs";
import { delimiter, join } from "node:path";
import type { MysqlAddress } from "./database-address.ts";
import type { Tool } from "./run-tool.ts";

export type DumpPass = "tables" | "objects" | "views" | "events";

/** Nothing in the output may differ from run to run, and one row is one line. */
const ALWAYS = [
  "--skip-comments",
  "--skip-dump-date",
  "--skip-lock-tables",
  "--skip-add-locks",
  "--skip-add-drop-table",
  "--skip-extended-insert",
  "--no-autocommit",
  "--single-transaction",
  "--quick",
  "--hex-blob",
  "--no-tablespaces",
];

const PASSES: Readonly<Record<DumpPass, readonly string[]>> = {
  tables: ["--skip-triggers"],
  objects: ["--no-data", "--no-create-info", "--triggers", "--routines"],
  views: ["--no-data", "--skip-triggers"],
  events: ["--no-data", "--no-create-info", "--skip-triggers", "--events"],
};

export function mysqlClient(address: MysqlAddress): Tool {
  const own = ["--batch", "--raw", "--skip-column-names", "--unbuffered", "--connect-timeout=10"];
  return tool(address, onPath("mariadb") ? "mariadb" : "mysql", own);
}

export function mysqlDump(
  address: MysqlAddress,
  pass: DumpPass,
  database: string,
  more: readonly string[],
): Tool {
  return tool(address, dumpProgram(), [
    ...ALWAYS,
    ...PASSES[pass],
    ...more.filter(isOption),
    "--",
    database,
    ...more.filter((word) => !isOption(word)),
  ]);
}

export const DUMP_HISTORY = "--dump-history";

/** Says what options there are. */
export function mysqlDumpHelp(address: MysqlAddress): Tool {
  return { ...tool(address, dumpProgram(), []), args: ["--no-defaults", "--help"] };
}

const dumpProgram = (): string => (onPath("mariadb-dump") ? "mariadb-dump" : "mysqldump");

const isOption = (word: string): boolean =>
  word === DUMP_HISTORY || word.startsWith("--ignore-table=");

/** The words that say where the server is and who asks. */
export function mysqlConnection(address: MysqlAddress): readonly string[] {
  const { user, host, port, socket, password } = address;
  const isTcp = socket === null && port !== null;
  return [
    // A URL with a password is complete: an option file must not set another one.
    ...(password === null ? [] : ["--no-defaults"]),
    "--default-character-set=utf8mb4",
    ...(user === null ? [] : [`--user=${user}`]),
    ...(host === null ? [] : [`--host=${host}`]),
    ...(port === null ? [] : [`--port=${port}`]),
    ...(isTcp ? ["--protocol=tcp"] : []),
    ...(socket === null ? [] : [`--socket=${socket}`]),
  ];
}

function tool(address: MysqlAddress, program: string, own: readonly string[]): Tool {
  const { password } = address;
  return {
    program,
    args: [...mysqlConnection(address), ...own],
    ...(password === null ? {} : { env: { MYSQL_PWD: password } }),
    secrets: address.secrets,
  };
}

function onPath(program: string): boolean {
  return (process.env["PATH"] ?? "").split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
