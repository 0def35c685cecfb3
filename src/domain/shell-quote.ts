const PLAIN = /^[A-Za-z0-9_./:=@%+,-]+$/;

/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(text: string): string {
  return PLAIN.test(text) && !text.startsWith("-")
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}

/** A command and its arguments as one line for a POSIX shell. */
export function commandLine(words: readonly string[]): string {
  return words.map((word) => (PLAIN.test(word) ? word : quoteForShell(word))).join(" ");
}
