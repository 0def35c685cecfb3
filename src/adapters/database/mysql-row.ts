/** Tells the rows of a dump of MariaDB or MySQL from everything else in it. One row is one line. */

export interface InsertedRow {
  /** As it is between the backticks. */
  readonly table: string;
  /** mariadb-dump names the columns of a table if one of them is invisible or generated, or if its history is dumped. */
  readonly namesColumns: boolean;
  /** Everything after the name of the table. */
  readonly values: Buffer;
}

const INSERT = Buffer.from("INSERT INTO `");
const VALUES = Buffer.from(" VALUES (");
const BACKTICK = "`".codePointAt(0);

export function insertedRow(line: Buffer): InsertedRow | undefined {
  if (!startsWith(line, 0, INSERT)) return undefined;
  const end = nameEnd(line, INSERT.length);
  if (end < 0) return undefined;
  const list = columnListEnd(line, end + 1);
  if (!startsWith(line, list ?? end + 1, VALUES)) return undefined;
  return {
    table: line.toString("utf8", INSERT.length, end),
    namesColumns: list !== undefined,
    // With the backtick, as checksums have always had it.
    values: line.subarray(end),
  };
}

/** Where the name that begins here ends: at a backtick that is not doubled. */
function nameEnd(line: Buffer, from: number): number {
  let at = line.indexOf("`", from);
  while (at >= 0 && line[at + 1] === BACKTICK) at = line.indexOf("`", at + 2);
  return at;
}

/** Byte after ` (a, b)`. Undefined: there is no such list. */
function columnListEnd(line: Buffer, from: number): number | undefined {
  let at = from;
  let separator = " (";
  while (startsWith(line, at, separator)) {
    at += separator.length;
    separator = ", ";
    if (line[at] === BACKTICK) at = nameEnd(line, at + 1) + 1;
    // `row_start` and `row_end` come without backticks.
    else while (/\w/.test(String.fromCodePoint(line[at] ?? 0))) at += 1;
    if (at <= from) return undefined;
  }
  return at > from && startsWith(line, at, ")") ? at + 1 : undefined;
}

function startsWith(line: Buffer, at: number, text: Buffer | string): boolean {
  const expected = Buffer.from(text);
  return line.subarray(at, at + expected.length).equals(expected);
}
