/**
 * What a database holds, as checksums: for each table the number of its rows and a checksum over them, and one over
 * everything else. Where the rows lie and in which order they come makes no difference.
 */
import { createHash } from "node:crypto";
import { canonicalJson } from "../../domain/canonical-json.ts";
import type { DatabaseEngine } from "../../domain/parts.ts";

export interface TableContent {
  readonly rows: number;
  /** SHA-256 of each row, added up. */
  readonly checksum: string;
}

/**
 * How rows are read. In 1, rows that MariaDB dumps with the names of their columns counted as definitions, and rowids of SQLite
 * did not count; in 2 they are rows, and rowids count.
 * What a checkpoint holds is compared in the way in which it was written.
 */
export type Reading = 1 | 2;
export const NEWEST_READING: Reading = 2;

export interface DatabaseContent {
  /** Absent: 1. */
  readonly reading?: 2;
  /** Over tables as they are defined, views, routines, sequences and their values. */
  readonly schema: string;
  readonly tables: Readonly<Record<string, TableContent>>;
}

/** Of a database that was not there any will do. */
export function readingOf(content: DatabaseContent | null): Reading {
  return content === null ? NEWEST_READING : (content.reading ?? 1);
}

/** `null`: there is no such database. */
export function contentDigest(engine: DatabaseEngine, content: DatabaseContent | null): string {
  const text = canonicalJson({ engine, content });
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

/** Checksums that are added do not depend on the order. Equal rows count as often as they are there. */
class UnorderedSum {
  readonly #words = new Uint32Array(8);
  count = 0;

  add(item: Buffer): void {
    const digest = createHash("sha256").update(item).digest();
    let carry = 0;
    for (let at = 0; at < 8; at += 1) {
      const sum = (this.#words[at] ?? 0) + digest.readUInt32LE(at * 4) + carry;
      this.#words[at] = sum;
      carry = sum > 0xff_ff_ff_ff ? 1 : 0;
    }
    this.count += 1;
  }

  get hex(): string {
    return Buffer.from(this.#words.buffer).toString("hex");
  }
}

export class ContentSum {
  readonly #schema = new UnorderedSum();
  readonly #tables = new Map<string, UnorderedSum>();
  readonly #reading: Reading;

  constructor(reading: Reading = 1) {
    this.#reading = reading;
  }

  /** Makes it known, also when it has no rows. */
  table(name: string): void {
    if (!this.#tables.has(name)) this.#tables.set(name, new UnorderedSum());
  }

  row(table: string, row: Buffer): void {
    this.table(table);
    this.#tables.get(table)?.add(row);
  }

  /** One thing that is not a row, as text. */
  definition(text: string): void {
    this.#schema.add(Buffer.from(text));
  }

  get content(): DatabaseContent {
    const tables = [...this.#tables].toSorted(([a], [b]) => (a < b ? -1 : 1));
    return {
      ...(this.#reading === 1 ? {} : { reading: this.#reading }),
      schema: this.#schema.hex,
      tables: Object.fromEntries(
        tables.map(([name, sum]) => [name, { rows: sum.count, checksum: sum.hex }]),
      ),
    };
  }
}

export function rowsIn(content: DatabaseContent | null): number {
  return Object.values(content?.tables ?? {}).reduce((sum, { rows }) => sum + rows, 0);
}

/** In words, one for each table that differs; empty when nothing does. */
export function differences(
  now: DatabaseContent | null,
  then: DatabaseContent | null,
): readonly string[] {
  if (now === null || then === null) {
    if (now === then) return [];
    return [now === null ? "the database does not exist" : "the database should not exist"];
  }
  const names = [...new Set([...Object.keys(now.tables), ...Object.keys(then.tables)])].toSorted();
  const found = names.flatMap((name) => {
    const difference = tableDifference(now.tables[name], then.tables[name]);
    return difference === undefined ? [] : [`${name}: ${difference}`];
  });
  return now.schema === then.schema
    ? found
    : [...found, "definitions differ (tables, views, routines or sequences)"];
}

function tableDifference(now?: TableContent, then?: TableContent): string | undefined {
  if (now === undefined) return `missing (${rowCount(then)})`;
  if (then === undefined) return `new since then (${rowCount(now)})`;
  if (now.rows !== then.rows) return `${rowCount(now)} now, ${then.rows} then`;
  return now.checksum === then.checksum ? undefined : `${rowCount(now)}, some of them changed`;
}

const rowCount = (table?: TableContent): string =>
  `${table?.rows ?? 0} ${table?.rows === 1 ? "row" : "rows"}`;
