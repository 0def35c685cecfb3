/**
 * How much of an endless space is tried: a sample with the other tests, as much as one likes with
 * `npm run test:long -- --runs 500 --points 60` (`scripts/test-long.mjs`).
 */

/** Runs of a random property. */
export const runs = (few: number): number => most(few, "WAYMARK_TEST_RUNS");

/** Points of a command at which it is killed, or disturbed. */
export const points = (few: number): number => most(few, "WAYMARK_TEST_POINTS");

/** Rows of a table that is too long to be tried whole each time: evenly spaced, all of them with `npm run test:long`. */
export function rows<Row>(few: number, table: readonly Row[]): readonly Row[] {
  if (process.env["WAYMARK_TEST_ROWS"] === "all" || few >= table.length) return table;
  return Array.from(
    { length: few },
    (_, at) => table[Math.floor((at * table.length) / few)] as Row,
  );
}

function most(few: number, variable: string): number {
  return Math.max(few, Number(process.env[variable] ?? 0));
}
