/** What a copy of a SQLite database holds, by queries: its own `.dump` loses bytes after a NUL. */
import {
  ContentSum,
  NEWEST_READING,
  type DatabaseContent,
  type Reading,
} from "./database-content.ts";
import { LineReader } from "./line-reader.ts";
import { runTool, type Tool } from "./run-tool.ts";

interface Table {
  readonly name: string;
  readonly columns: readonly string[];
  /** What its rowid is called; empty: it has none, or columns hide it. */
  readonly rowid: string;
}

export async function contentOfSqlite(
  tool: Tool,
  reading: Reading = NEWEST_READING,
): Promise<DatabaseContent> {
  const sum = new ContentSum(reading);
  const tables = await readSchema(tool, sum);
  if (tables.length === 0) return sum.content;
  const reader = new LineReader((line) => {
    const at = line.indexOf("|");
    sum.row(tables[Number(line.toString("latin1", 0, at))]?.name ?? "", line.subarray(at + 1));
  });
  const input = tables.map((table, at) => rowQuery(at, table, reading)).join("");
  await runTool(tool, { input, onData: (chunk) => reader.push(chunk) });
  reader.end();
  return sum.content;
}

/** In a table without rowid the index of the primary key is the table itself, and not in the schema. */
const IS_WITHOUT_ROWID =
  "EXISTS (SELECT 1 FROM pragma_index_list(m.name) i WHERE i.origin='pk' AND i.name NOT IN (SELECT name FROM sqlite_master))";
const isFree = (name: string): string =>
  `NOT EXISTS (SELECT 1 FROM pragma_table_xinfo(m.name) x WHERE lower(x.name)='${name}')`;
const ROWID = `CASE WHEN ${IS_WITHOUT_ROWID} THEN '' ${["rowid", "_rowid_", "oid"].map((name) => `WHEN ${isFree(name)} THEN '${name}'`).join(" ")} ELSE '' END`;

/** Tables that hold rows of their own; what virtual tables hold is in their shadow tables. */
async function readSchema(tool: Tool, sum: ContentSum): Promise<readonly Table[]> {
  const answer = await runTool(tool, {
    input: [
      "SELECT 'd'||hex(type||char(0)||name||char(0)||tbl_name||char(0)||coalesce(sql,'')) FROM sqlite_master;",
      "SELECT 'd'||hex('pragma'||char(0)||user_version||char(0)||application_id||char(0)||encoding) FROM pragma_user_version, pragma_application_id, pragma_encoding;",
      `SELECT 't'||hex(m.name)||','||hex(${ROWID})||','||(SELECT group_concat(hex(c.name),',') FROM pragma_table_info(m.name) c) FROM sqlite_master m WHERE m.type='table' AND m.sql NOT LIKE 'CREATE VIRTUAL TABLE%' AND m.name NOT LIKE 'sqlite\\_stat%' ESCAPE '\\';`,
    ].join("\n"),
  });
  const tables: Table[] = [];
  for (const line of answer.split("\n")) {
    const text = line.slice(1);
    if (line.startsWith("d")) sum.definition(Buffer.from(text, "hex").toString("utf8"));
    if (!line.startsWith("t")) continue;
    const [name = "", rowid = "", ...columns] = text
      .split(",")
      .map((hex) => Buffer.from(hex, "hex").toString("utf8"));
    sum.table(name);
    tables.push({ name, columns, rowid });
  }
  return tables;
}

/** Each row as one line: typed, exact and without a newline. `quote` writes numbers so that they can be read back exactly. */
function rowQuery(at: number, { name, columns, rowid }: Table, reading: Reading): string {
  const values = columns.map((column) => {
    const value = quoted(column);
    return `CASE typeof(${value}) WHEN 'text' THEN 't'||hex(CAST(${value} AS BLOB)) WHEN 'blob' THEN 'b'||hex(${value}) ELSE quote(${value}) END`;
  });
  const own = reading === 1 || rowid === "" ? "" : `${rowid}||':'||`;
  return `SELECT '${at}|'||${own}${joined(values)} FROM ${quoted(name)};\n`;
}

/** In halves of halves: SQLite takes an expression of a thousand levels at most, and a chain has one for each column. */
function joined(values: readonly string[]): string {
  if (values.length < 3) return values.join("||','||");
  const half = Math.ceil(values.length / 2);
  return `(${joined(values.slice(0, half))})||','||(${joined(values.slice(half))})`;
}

const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`;
