/** Sizes, counts and times as people read them. */
export { humanBytes } from "../../domain/human-bytes.ts";
export { relativeTime, shortAge } from "../../domain/relative-time.ts";

export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** Local time of today as `14:16`, else with its date. */
export function clockTime(iso: string, now: Date): string {
  const exact = exactTime(iso);
  const [date = "", time = ""] = exact.split(" ");
  const [today] = exactTime(now.toISOString()).split(" ");
  return date === today ? time.slice(0, 5) : `${date} ${time.slice(0, 5)}`;
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
