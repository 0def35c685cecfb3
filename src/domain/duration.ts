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

const UNITS: readonly (readonly [ms: number, name: string])[] = [
  [86_400_000, "day"],
  [3_600_000, "hour"],
  [60_000, "minute"],
  [1000, "second"],
];

/** `7 days`, `90 minutes` */
export function showDuration(ms: number): string {
  const [size, name] = UNITS.find(([unit]) => ms >= unit && ms % unit === 0) ?? [1000, "second"];
  const count = Math.round(ms / size);
  return `${count} ${name}${count === 1 ? "" : "s"}`;
}
