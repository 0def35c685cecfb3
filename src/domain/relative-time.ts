/** How long ago something was, as people say it. */

const STEPS: readonly (readonly [seconds: number, unit: string])[] = [
  [31_557_600, "year"],
  [2_629_800, "month"],
  [604_800, "week"],
  [86_400, "day"],
  [3600, "hour"],
  [60, "minute"],
];

/** `3 minutes ago`, `just now`, `in 2 days`. */
export function relativeTime(iso: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return iso;
  const size = Math.abs(seconds);
  const step = STEPS.find(([length]) => size >= length);
  if (step === undefined && size < 10) return "just now";
  const [length, unit] = step ?? [1, "second"];
  // What goes in a day is said to go in 24 hours, and not in 23, a moment later.
  const whole = seconds >= 0 ? Math.floor : Math.round;
  return inWords(whole(size / length), unit, seconds);
}

function inWords(count: number, unit: string, seconds: number): string {
  const words = `${count} ${unit}${count === 1 ? "" : "s"}`;
  return seconds >= 0 ? `${words} ago` : `in ${words}`;
}

const UNITS = ["y", "mo", "w", "d", "h", "m"];

/** The same in a column: `now`, `42s`, `3m`, `2d`. */
export function shortAge(iso: string, now: Date): string {
  const seconds = (now.getTime() - Date.parse(iso)) / 1000;
  if (Number.isNaN(seconds)) return "";
  const size = Math.abs(seconds);
  const at = STEPS.findIndex(([length]) => size >= length);
  const [length = 1] = STEPS[at] ?? [];
  if (size < 10) return "now";
  return `${seconds < 0 ? "in " : ""}${Math.floor(size / length)}${UNITS[at] ?? "s"}`;
}
