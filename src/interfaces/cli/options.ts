/** Reads option values, and refuses wrong ones with what is allowed. */
import { TRIGGERS, type Trigger } from "../../domain/checkpoint.ts";
import { durationMs } from "../../domain/duration.ts";
import { BadValue } from "./command-spec.ts";

export function wholeNumber(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new BadValue("It must be a whole number.");
  return Number(text);
}

export function triggerName(text: string): Trigger {
  const found = TRIGGERS.find((trigger) => trigger === text);
  if (found === undefined) throw new BadValue(`It must be one of ${TRIGGERS.join(", ")}.`);
  return found;
}

export function durabilityName(text: string): "safe" | "fast" {
  if (text !== "safe" && text !== "fast") throw new BadValue("It must be safe or fast.");
  return text;
}

/** `90m`, `24h`, `7d`, `2w`; the result is in milliseconds. */
export function duration(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms === null) throw new BadValue("It must be like 90m, 24h, 7d or 2w.");
  return ms;
}

/** As a duration, but not nothing: no command ends in no time. */
export function timeLimit(text: string): number {
  const ms = durationMs(text);
  if (ms === undefined || ms === null || ms === 0) {
    throw new BadValue("It must be like 30s, 10m or 2h.");
  }
  return ms;
}

/** `24h`, `7d`, `never`, or a date; the result is a time stamp. */
export function expiry(text: string): string | undefined {
  const ms = durationMs(text);
  if (ms === null) return undefined;
  const at = ms === undefined ? Date.parse(text) : Date.now() + ms;
  if (Number.isNaN(at)) {
    throw new BadValue("It must be like 24h, 7d, never, or a date such as 2030-01-31.");
  }
  return new Date(at).toISOString();
}
