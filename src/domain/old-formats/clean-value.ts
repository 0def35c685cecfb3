/** Makes a value of unknown origin safe to keep: no secrets in its texts, no keys that mean something to JavaScript itself. */
import { redactField } from "../secrets/redact.ts";

export interface CleanValue {
  readonly value: unknown;
  /** Keys that were left out. */
  readonly leftOut: number;
  /** Texts in which something looked like a secret. */
  readonly redacted: number;
}

const FORBIDDEN_KEY = "__proto__";

/** The value must not be nested so deep that a walk through it would end the process. */
export function cleanValue(given: unknown): CleanValue {
  let leftOut = 0;
  let redacted = 0;
  const clean = (value: unknown, name: string): unknown => {
    if (Array.isArray(value)) return value.map((item) => clean(item, name));
    if (value !== null && typeof value === "object") {
      const kept = Object.entries(value).filter(([key]) => key !== FORBIDDEN_KEY);
      leftOut += Object.keys(value).length - kept.length;
      return Object.fromEntries(
        kept.map(([key, inner]) => [cleanText(key, ""), clean(inner, key)]),
      );
    }
    return typeof value === "string" ? cleanText(value, name) : value;
  };
  const cleanText = (text: string, name: string): string => {
    const safe = redactField(name, text);
    if (safe === text || typeof safe !== "string") return text;
    redacted += 1;
    return safe;
  };
  return { value: clean(given, ""), leftOut, redacted };
}
