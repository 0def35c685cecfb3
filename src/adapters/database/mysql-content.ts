/** What a dump of MariaDB or MySQL holds. */
import { createReadStream, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { ContentSum, type DatabaseContent } from "./database-content.ts";
import { LineReader } from "./line-reader.ts";

/** Files of a dump in the order in which they are read in. */
export const DUMP_FILES = ["dump", "objects", "views", "events"] as const;

const ROW = Buffer.from("INSERT INTO `");
const VALUES = Buffer.from("` VALUES (");

export async function contentOfDump(folder: string): Promise<DatabaseContent> {
  const sum = new ContentSum();
  const definitions: string[] = [];
  const reader = new LineReader((line) => {
    const end = line.subarray(0, ROW.length).equals(ROW) ? line.indexOf(VALUES) : -1;
    if (end < 0) definitions.push(line.toString("utf8"));
    else sum.row(unquoted(line.toString("utf8", ROW.length, end)), line.subarray(end));
  });
  for await (const chunk of createReadStream(join(folder, "dump"))) reader.push(chunk as Buffer);
  reader.end();
  for (const line of definitions) {
    const table = /^CREATE TABLE `((?:[^`]|``)+)` \($/.exec(line)?.[1];
    if (table !== undefined) sum.table(unquoted(table));
  }
  sum.definition(definitions.join("\n"));
  for (const file of DUMP_FILES.slice(1)) {
    const path = join(folder, file);
    if (existsSync(path)) sum.definition(`${file}\n${readFileSync(path, "utf8")}`);
  }
  return sum.content;
}

const unquoted = (name: string): string => name.replaceAll("``", "`");
