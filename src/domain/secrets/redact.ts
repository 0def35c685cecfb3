/** Takes secrets out of texts before they are written down. */
import { isRecord } from "../is-record.ts";
import { findAllSecrets, type SecretPlace } from "./find-secret.ts";

/**
 * The text with every value that looks like a secret replaced by `[redacted: <id of the rule>]`. For whatever goes into a document,
 * a journal, a log or a message and was typed by a person or an agent: reasons, names, command lines, metrics.
 *
 * Wider than the search in files: passwords after `--password`, in addresses of any host and in `PASSWORD=…` go too, since a
 * word that is missing here costs nothing. Doing it twice changes nothing. A text without a secret comes back as it is, so `redact(text) !== text`
 * says whether there is something to warn about.
 */
export function redact(text: string): string {
  return withoutPlaces(text, findAllSecrets(text));
}

/**
 * The same for a reason or a command line, where a password may come after `mysql -p` or `curl -u`. Never for what a workflow gets back: there a
 * command that only looks like one has to stay as it is.
 */
export function redactCommand(text: string): string {
  return withoutPlaces(text, findAllSecrets(text, true));
}

function withoutPlaces(text: string, found: readonly SecretPlace[]): string {
  const places = found.toSorted((left, right) => left.start - right.start || right.end - left.end);
  let result = "";
  let at = 0;
  for (const { ruleId, start, end } of places) {
    if (end <= at) continue;
    // One that begins inside another: what sticks out goes with it.
    if (start >= at) result += `${text.slice(at, start)}[redacted: ${ruleId}]`;
    at = end;
  }
  return result + text.slice(at);
}

/** So many words before one may say what it is: `curl -s -X POST -u ann:…`. */
const WORDS_BEFORE = 16;

/** The words of a command line: what comes after `--password` is one, too. */
export function redactWords(words: readonly string[]): string[] {
  return words.map((word, at) => {
    const own = redactCommand(word);
    if (own !== word || at === 0) return own;
    const before = `${words.slice(Math.max(0, at - WORDS_BEFORE), at).join(" ")} `;
    const end = before.length;
    const [place] = findAllSecrets(before + word, true)
      .filter(({ start }) => start >= end)
      .toSorted((left, right) => left.start - right.start);
    // To the end of the word: it may have spaces, and quotes are gone.
    return place === undefined
      ? word
      : `${word.slice(0, place.start - end)}[redacted: ${place.ruleId}]`;
  });
}

/** The reason that somebody gave, without secrets; null: none, or nothing but spaces. */
export function redactReason(reason: string | null): string | null {
  return reason === null || reason.trim() === "" ? null : redactCommand(reason);
}

/** The same for every text in a value of JSON, names of fields too. */
export function redactValue(value: unknown): unknown {
  if (typeof value === "string") return redact(value);
  if (Array.isArray(value)) return value.map(redactValue);
  if (value === null || typeof value !== "object") return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [redact(name), redactField(name, inner)]),
  );
}

/** The same, where `before` has no secrets: what both have in common is not looked at again, however large it is. */
export function redactChanges(before: unknown, after: unknown): unknown {
  if (before === after) return after;
  if (Array.isArray(after)) {
    const known: readonly unknown[] = Array.isArray(before) ? before : [];
    return after.map((value, at) => redactChanges(known[at], value));
  }
  if (!isRecord(after) || !isRecord(before)) return redactValue(after);
  return Object.fromEntries(
    Object.entries(after).map(([name, value]) => {
      const known = Object.hasOwn(before, name) ? before[name] : undefined;
      if (known === value) return [name, value];
      const clean =
        typeof value === "string" ? redactField(name, value) : redactChanges(known, value);
      return [redact(name), clean];
    }),
  );
}

/** A field says what its value is: `{"password": "hunter2"}` holds one as much as `password=hunter2` does. */
export function redactField(name: string, value: unknown): unknown {
  if (typeof value !== "string") return redactValue(value);
  const own = redact(value);
  if (own !== value || /\s/.test(value)) return own;
  const assigned = `${name}=`;
  const whole = redact(assigned + value);
  return whole.startsWith(assigned) ? whole.slice(assigned.length) : own;
}
