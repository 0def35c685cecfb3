/** What a dump of MariaDB or MySQL holds. */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import {
  ContentSum,
  NEWEST_READING,
  type DatabaseContent,
  type Reading,
} from "./database-content.ts";
import { LineReader } from "./line-reader.ts";
import { insertedRow } from "./mysql-row.ts";

/** Files of a dump in the order in which they are read in. */
export const DUMP_FILES = ["dump", "objects", "views", "events"] as const;

/** Only tables, as they are defined and with their rows. */
export async function tablesOfDump(
  folder: string,
  reading: Reading = NEWEST_READING,
): Promise<DatabaseContent> {
  return (await tablesSum(folder, reading)).content;
}

export async function contentOfDump(
  folder: string,
  reading: Reading = NEWEST_READING,
): Promise<DatabaseContent> {
  const sum = await tablesSum(folder, reading);
  for (const file of DUMP_FILES.slice(1)) {
    const path = join(folder, file);
    if (existsSync(path)) sum.definition(`${file}\n${readFileSync(path, "utf8")}`);
  }
  return sum.content;
}

async function tablesSum(folder: string, reading: Reading): Promise<ContentSum> {
  const sum = new ContentSum(reading);
  const definitions: string[] = [];
  const reader = new LineReader((line) => {
    const row = insertedRow(line);
    const isRow = row !== undefined && (reading > 1 || !row.namesColumns);
    if (isRow) sum.row(unquoted(row.table), row.values);
    else definitions.push(line.toString("utf8"));
  });
  for await (const chunk of createReadStream(join(folder, "dump"))) reader.push(chunk as Buffer);
  reader.end();
  for (const line of definitions) {
    const table = /^CREATE TABLE `((?:[^`]|``)+)` \($/.exec(line)?.[1];
    if (table !== undefined) sum.table(unquoted(table));
  }
  sum.definition(definitions.join("\n"));
  return sum;
}

const unquoted = (name: string): string => name.replaceAll("``", "`");
