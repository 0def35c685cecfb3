/** Where in a value of JSON a secret is, so that a refusal can name the place and not the value. */
import { findSecret } from "./find-secret.ts";
import { redact, redactField, redactValue } from "./redact.ts";

export interface PlacedSecret {
  /** `state.github.token`, `outputs.list[2]`; empty: the value itself. */
  readonly place: string;
  /** The id of the rule that found it. */
  readonly ruleId: string;
}

/**
 * Undefined: nothing in it looks like a secret. Looks at the text that is stored of the value, and at every field as redaction does:
 * what would be taken out of a metric is a secret in a document, too.
 */
export function findPlacedSecret(value: unknown): PlacedSecret | undefined {
  const text = JSON.stringify(value, null, 2) ?? "";
  const isClean =
    findSecret(text) === undefined && JSON.stringify(redactValue(value), null, 2) === text;
  return isClean ? undefined : placeIn(value);
}

function placeIn(value: unknown): PlacedSecret | undefined {
  for (const [name, inner] of entriesOf(value)) {
    const step = Array.isArray(value) ? `[${name}]` : redact(name);
    const below = typeof inner === "string" ? undefined : placeIn(inner);
    if (below !== undefined && below.place !== "") {
      const dot = below.place.startsWith("[") ? "" : ".";
      return { place: `${step}${dot}${below.place}`, ruleId: below.ruleId };
    }
    const isNamed = !Array.isArray(value);
    // With its name: a field says what its value is. And the name itself may be the secret.
    const ruleId =
      below?.ruleId ??
      (isNamed ? ruleIn(name, redact(name)) : undefined) ??
      (typeof inner === "string"
        ? ruleIn(inner, isNamed ? redactField(name, inner) : redact(inner))
        : undefined) ??
      findSecret(JSON.stringify(isNamed ? { [name]: inner } : [inner], null, 2));
    if (ruleId !== undefined) return { place: step, ruleId };
  }
  const ruleId =
    typeof value === "string"
      ? ruleIn(value, redact(value))
      : findSecret(JSON.stringify(value, null, 2) ?? "");
  return ruleId === undefined ? undefined : { place: "", ruleId };
}

/** The rule that took something out; undefined: nothing was. */
function ruleIn(before: string, after: unknown): string | undefined {
  if (after === before) return undefined;
  return /\[redacted: ([\w-]+)\]/.exec(String(after))?.[1];
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
