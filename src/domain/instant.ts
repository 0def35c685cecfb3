/** Points in time as people write them: ISO dates and date-times. Without a time zone they are UTC, as ids are. */

const ISO =
  /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d{1,3})?)?(Z|[+-]\d{2}:\d{2})?)?$/i;

/** Milliseconds since 1970; undefined: not a date, or one that no calendar has. A date alone is its first moment. */
export function instantOf(text: string): number | undefined {
  const match = ISO.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, , , zone] = match;
  // Date takes the 31st of a short month for a day of the next.
  const date = new Date(`${year}-${month}-${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.getUTCDate() !== Number(day)) return undefined;
  const isZoned = hour === undefined || zone !== undefined;
  const at = Date.parse(text.toUpperCase().replace(" ", "T") + (isZoned ? "" : "Z"));
  return Number.isNaN(at) ? undefined : at;
}

/** Time stamps are written with four digits of the year. */
export const LAST_INSTANT = Date.parse("9999-12-31T23:59:59.999Z");
