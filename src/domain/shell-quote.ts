/** One word for a POSIX shell, whatever is in it. */
export function quoteForShell(text: string): string {
  return /^[A-Za-z0-9_./:=@%+,-]+$/.test(text) && !text.startsWith("-")
    ? text
    : `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
