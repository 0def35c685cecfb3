/** Sizes, counts and times as people read them. */
export { humanBytes } from "../../domain/human-bytes.ts";

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

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
  if (step === undefined)
    return size < 10 ? "just now" : inWords(Math.floor(size), "second", seconds);
  return inWords(Math.floor(size / step[0]), step[1], seconds);
}

function inWords(count: number, unit: string, seconds: number): string {
  const words = counted(count, unit);
  return seconds >= 0 ? `${words} ago` : `in ${words}`;
}

/** Local time to the second, with the offset: exact, and it sorts. */
export function exactTime(iso: string): string {
  const at = new Date(iso);
  if (Number.isNaN(at.getTime())) return iso;
  const two = (value: number): string => String(value).padStart(2, "0");
  const offset = -at.getTimezoneOffset();
  const sign = offset < 0 ? "-" : "+";
  const zone = `${sign}${two(Math.floor(Math.abs(offset) / 60))}${two(Math.abs(offset) % 60)}`;
  return (
    `${at.getFullYear()}-${two(at.getMonth() + 1)}-${two(at.getDate())} ` +
    `${two(at.getHours())}:${two(at.getMinutes())}:${two(at.getSeconds())} ${zone}`
  );
}
