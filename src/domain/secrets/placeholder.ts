/** Values that stand where a secret belongs: in examples, templates, documentation. */

const MARKS = /\$\{|\$\(|\{\{|\}\}|<[\w -]+>|%\(|%[A-Z_]+%|^\$\w|^%\w|\*{3}|\.{3}|\u2026|#\{|^@@/;
const WORDS =
  /change[-_ ]?(?:me|it|this)|example|placeholder|dummy|sample|your[-_ ]?(?:own|api|key|token|secret|password|\w{1,12}[-_](?:here|key|token))|redacted|replace[-_ ]?(?:me|with|this)|insert[-_ ]|todo|not[-_ ]?(?:a[-_ ])?real|not[-_ ]?a?[-_ ]?secret|foobar|lorem|deadbeef|django-insecure-|process\.env|os\.environ|getenv/i;
const RUNS = /(.)\1{5,}|0123456789|123456789|abcdefgh|qwertyui/i;
/** The payloads of the tokens that jwt.io and PyJWT show, and the values of RFC 6749, RFC 5849 and RFC 6750. */
const KNOWN_SAMPLES =
  /eyJzdWIiOiIxMjM0NTY3ODkw|eyJzb21lIjoicGF5bG9hZCJ9|2YotnFZFEjr1zCsicMWpAA|czZCaGRSa3F0Mz|ad180jjd733klru7|mF_9\.B5f-4\.1JqM/;

export function isPlaceholder(value: string): boolean {
  return isNamedPlaceholder(value) || RUNS.test(value);
}

/** It says so itself; a run of digits alone may be part of a token that was typed. */
export function isNamedPlaceholder(value: string): boolean {
  return MARKS.test(value) || WORDS.test(value) || KNOWN_SAMPLES.test(value);
}

const REFERENCES =
  /\$\{\w+\}|\$[A-Z_][A-Z\d_]*|\$\([\w ./-]+\)|\{\{[\w .-]*\}\}|#\{\w+\}|%\(\w+\)s?|%[A-Z_]+%|@@\w+@@|<[\w -]+>/g;
const ALL_WORDS = new RegExp(WORDS, "gi");
const ALL_RUNS = new RegExp(RUNS, "gi");
const YOUR_OWN = /\byour(?:[-_ ][a-z]{1,16}){1,5}/gi;
const FILLERS =
  /(?<![a-z])(?:an?|the|my|me|here|with|this|is|please|real|actual|values?|api|app|access|auth|client|private|public|secrets?|tokens?|keys?|id|user(?:name)?|pass(?:word|wd)?|sk|pk|live|test|https?|www|com|org|net)(?![a-z])/gi;

/** It is nothing else: a password may contain `todo`, or be in an address that does. */
export function isOnlyPlaceholder(value: string): boolean {
  if (!isPlaceholder(value)) return false;
  const rest = [REFERENCES, YOUR_OWN, ALL_WORDS, ALL_RUNS, FILLERS].reduce(
    (text, pattern) => text.replaceAll(pattern, " "),
    value,
  );
  return !/[^\W_]/.test(rest);
}
