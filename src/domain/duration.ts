/** Spans of time as people write them: `30m`, `24h`, `7d`, `never`. */
const UNIT_MS: Readonly<Record<string, number>> = {
  s: 1000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds; null: for ever; undefined: not a duration. */
export function durationMs(text: string): number | null | undefined {
  if (text === "never") return null;
  const [, count = "", unit = ""] = /^(\d{1,6})([smhdw])$/.exec(text) ?? [];
  const unitMs = UNIT_MS[unit];
  return unitMs === undefined ? undefined : Number(count) * unitMs;
}
