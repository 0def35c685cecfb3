/** Sizes, counts and times as people read them. */
import { exactTime } from "../../domain/exact-time.ts";

export { counted } from "../../domain/counted.ts";
export { exactTime } from "../../domain/exact-time.ts";
export { humanBytes } from "../../domain/human-bytes.ts";
export { relativeTime, shortAge } from "../../domain/relative-time.ts";

/** Local time of today as `14:16`, else with its date. */
export function clockTime(iso: string, now: Date): string {
  const exact = exactTime(iso);
  const [date = "", time = ""] = exact.split(" ");
  const [today] = exactTime(now.toISOString()).split(" ");
  return date === today ? time.slice(0, 5) : `${date} ${time.slice(0, 5)}`;
}
