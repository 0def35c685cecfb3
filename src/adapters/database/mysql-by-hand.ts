/** The shell command that brings back a database of MariaDB or MySQL without Waymark. */
import { inPrivateFolder } from "../../domain/by-hand.ts";
import { quoteForShell } from "../../domain/shell-quote.ts";
import type { MysqlAddress } from "./database-address.ts";
import type { ByHand } from "./database.ts";
import { DUMP_FILES } from "./mysql-content.ts";
import { quoted } from "./mysql-statements.ts";
import { mysqlClient, mysqlConnection } from "./mysql-tools.ts";
import { passwordSteps } from "./password-step.ts";

/** Into it the dump is read first: what the server does not take shows there. */
const TRIAL = "waymark_by_hand";

export function mysqlByHand(address: MysqlAddress, { fetch, database }: ByHand): string {
  const client = [mysqlClient(address).program, ...mysqlConnection(address)]
    .map(quoteForShell)
    .join(" ");
  const settings = `SELECT concat(' CHARACTER SET ', default_character_set_name, ' COLLATE ', default_collation_name) FROM information_schema.schemata WHERE schema_name = X'${Buffer.from(database).toString("hex")}'`;
  const steps = [
    ...DUMP_FILES.map(fetch),
    // Events would run, also those of a trial.
    "cat dump objects views > trial",
    ...passwordSteps(address, "MYSQL_PWD"),
    `set=$(${client} -N -B -e ${quoteForShell(settings)})`,
    `${client} -e ${quoteForShell(`CREATE DATABASE ${TRIAL}`)}"$set"`,
    "touch made",
    `${client} ${TRIAL} < trial`,
    `${client} -e ${quoteForShell(`DROP DATABASE IF EXISTS ${quoted(database)}; CREATE DATABASE ${quoted(database)}`)}"$set"`,
    `cat trial events | ${client} ${quoteForShell(database)}`,
  ];
  const tidy = `test ! -e "$dir/made" || ${client} -e ${quoteForShell(`DROP DATABASE ${TRIAL}`)}`;
  return inPrivateFolder(steps, tidy);
}
