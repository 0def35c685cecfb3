/**
 * The parser calls itself for each level, and enough levels end the process, which nothing can catch. So brackets are
 * counted before it sees them, and so are dashes in a row.
 */
export function looksTooDeep(text: string, mostDepth: number): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open += bracket === "[" || bracket === "{" ? 1 : -1;
    if (open > 2 * mostDepth) return true;
  }
  return /(?:[-?:][ \t]+){50}/.test(text);
}
