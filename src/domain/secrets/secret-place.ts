/** Where in a value of JSON a secret is, so that a refusal can name the place and not the value. */
import { findSecret } from "./find-secret.ts";
import { redact } from "./redact.ts";

export interface PlacedSecret {
  /** `state.github.token`, `outputs.list[2]`; empty: the value itself. */
  readonly place: string;
  /** The id of the rule that found it. */
  readonly ruleId: string;
}

/** Undefined: nothing in it looks like a secret. Looks at the text that is stored of the value. */
export function findPlacedSecret(value: unknown): PlacedSecret | undefined {
  const ruleId = findSecret(JSON.stringify(value, null, 2));
  if (ruleId === undefined) return undefined;
  for (const [name, inner] of entriesOf(value)) {
    // With its name: a field says what its value is.
    const found = findSecret(JSON.stringify({ [name]: inner }, null, 2));
    if (found === undefined) continue;
    const below = findPlacedSecret(inner);
    // The name itself may be the secret.
    const step = Array.isArray(value) ? `[${name}]` : redact(name);
    if (below === undefined || below.place === "") return { place: step, ruleId: found };
    const dot = below.place.startsWith("[") ? "" : ".";
    return { place: `${step}${dot}${below.place}`, ruleId: below.ruleId };
  }
  return { place: "", ruleId };
}

function entriesOf(value: unknown): [string, unknown][] {
  return typeof value === "object" && value !== null ? Object.entries(value) : [];
}
