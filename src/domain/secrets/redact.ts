/** Takes secrets out of texts before they are written down. */
import { isRecord } from "../is-record.ts";
import { findAllSecrets } from "./find-secret.ts";

/**
 * The text with every value that looks like a secret replaced by `[redacted: <id of the rule>]`. For whatever goes into a document,
 * a journal, a log or a message and was typed by a person or an agent: reasons, names, command lines, metrics.
 *
 * Wider than the search in files: passwords after `--password`, in addresses of any host and in `PASSWORD=…` go too, since a word that is
 * missing here costs nothing. Doing it twice changes nothing. A text without a secret comes back as it is, so `redact(text) !== text`
 * says whether there is something to warn about.
 */
export function redact(text: string): string {
  const places = findAllSecrets(text).toSorted(
    (left, right) => left.start - right.start || right.end - left.end,
  );
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

/** The words of a command line: what comes after `--password` is one, too. */
export function redactWords(words: readonly string[]): string[] {
  return words.map((word, at) => {
    const own = redact(word);
    if (own !== word || at === 0) return own;
    const before = `${words[at - 1] ?? ""} `;
    const pair = redact(before + word);
    const mark = pair.startsWith(before)
      ? /^\[redacted: [\w-]+\]/.exec(pair.slice(before.length))
      : null;
    return mark === null ? word : mark[0];
  });
}

/** The reason that somebody gave, without secrets; null stays null. */
export function redactReason(reason: string | null): string | null {
  return reason === null ? null : redact(reason);
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
