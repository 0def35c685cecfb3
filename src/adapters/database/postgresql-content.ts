/** What a dump of PostgreSQL holds, from the script that pg_restore makes of it. */
import { ContentSum, type DatabaseContent } from "./database-content.ts";
import { LineReader } from "./line-reader.ts";

const COPY = /^COPY ((?:"(?:[^"]|"")+"|[^\s".]+)\.(?:"(?:[^"]|"")+"|[^\s".]+)) .*FROM stdin;$/;
/** Where the next object begins. Objects are told apart because their order may change. */
const NEXT_OBJECT = /^-- (?:Data for )?Name: /;
/** Says who dumped and when, or is made up for each script. */
const NOISE = /^(?:-- Dumped (?:from|by) |\\(?:un)?restrict )/;
/**
 * PostgreSQL writes casts and brackets of an expression in another way once it has read its own text: `IN` on a varchar
 * column is the usual case. They are no difference.
 */
const CASTS =
  /::(?:character varying|bit varying|double precision|time(?:stamp)?(?:\(\d\))? with(?:out)? time zone|"[^"]+"|[\w.]+)(?:\(\d+(?:,\s*\d+)?\))?(?:\[\])*|[()\s]/g;

export class PostgresqlContentReader {
  readonly #sum = new ContentSum();
  readonly #lines = new LineReader((line) => this.#line(line));
  #table: string | undefined;
  #object = "";

  push(chunk: Buffer): void {
    this.#lines.push(chunk);
  }

  end(): DatabaseContent {
    this.#lines.end();
    this.#endObject();
    return this.#sum.content;
  }

  #line(line: Buffer): void {
    if (this.#table !== undefined) {
      if (line.length === 2 && line.toString("latin1") === "\\.") this.#table = undefined;
      else this.#sum.row(this.#table, line);
      return;
    }
    const text = line.toString("utf8");
    const table = COPY.exec(text)?.[1];
    if (table !== undefined) {
      this.#table = table;
      this.#sum.table(table);
    }
    if (NEXT_OBJECT.test(text)) this.#endObject();
    if (!NOISE.test(text)) this.#object += `${text}\n`;
  }

  #endObject(): void {
    const text = this.#object.replaceAll(CASTS, "");
    if (text !== "") this.#sum.definition(text);
    this.#object = "";
  }
}
