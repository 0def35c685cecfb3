/** Text of users and repositories: no control character of it reaches the terminal. */

/** Printable ASCII without a run of spaces: most text, and quick to tell. */
const PLAIN = /^(?:[!-~]| (?! ))*$/;

/** A row stays a row. */
export function oneLine(text: string): string {
  return PLAIN.test(text) ? text : printable(text.replaceAll(/\s+/g, " "));
}

/** Keeps its lines. */
export function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, (character) =>
    character === "\n" ? character : "\uFFFD",
  );
}
