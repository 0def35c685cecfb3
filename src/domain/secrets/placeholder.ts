/** Values that stand where a secret belongs: in examples, templates, documentation. */

const MARKS = /\$\{|\$\(|\{\{|\}\}|<[\w -]+>|%\(|%[A-Z_]+%|^\$\w|^%\w|\*{3}|\.{3}|…|#\{|^@@/;
const WORDS =
  /change[-_ ]?(?:me|it|this)|example|placeholder|dummy|sample|your[-_ ]?(?:own|api|key|token|secret|password|\w{1,12}[-_](?:here|key|token))|redacted|replace[-_ ]?(?:me|with|this)|insert[-_ ]|todo|not[-_ ]?(?:a[-_ ])?real|not[-_ ]?a?[-_ ]?secret|foobar|lorem|deadbeef|process\.env|os\.environ|getenv/i;
const RUNS = /(.)\1{5}|0123456789|123456789|abcdefgh|qwertyui/i;
/** The payload of the token that jwt.io shows: `{"sub":"1234567890"`. */
const KNOWN_SAMPLES = /eyJzdWIiOiIxMjM0NTY3ODkw/;

export function isPlaceholder(value: string): boolean {
  return MARKS.test(value) || WORDS.test(value) || RUNS.test(value) || KNOWN_SAMPLES.test(value);
}
