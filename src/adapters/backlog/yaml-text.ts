/** Pieces of YAML, written the way Backlog.md writes them. */

export type Quote = "'" | '"' | "";

/** Also read as a text by readers of older YAML, which know dates, numbers and words for yes and no. */
const PLAIN = /^\p{L}(?:[\p{L}\p{N} _./()+-]*[\p{L}\p{N}_./()+-])?$/u;
const NO_TEXT = /^(?:true|false|yes|no|on|off|y|n|null)$/i;
// oxlint-disable-next-line no-control-regex
const CONTROL = /[\u0000-\u001f\u007f-\u009f\u2028\u2029\ufeff]/;

export function scalarText(value: string, quote: Quote): string {
  if (CONTROL.test(value) || quote === '"') return JSON.stringify(value);
  const isPlain = PLAIN.test(value) && !NO_TEXT.test(value);
  return quote === "" && isPlain ? value : `'${value.replaceAll("'", "''")}'`;
}

/**
 * What stands after the colon of a list with an item on each line. Items that are there already keep their lines, with the
 * comments on and below them. `text`: the lines of now; `now`: what they say.
 */
export function listIn(
  text: string,
  now: readonly string[],
  wanted: readonly string[],
  eol: string,
): string {
  if (wanted.length === 0) return ` []${eol}`;
  const items = itemsOf(text);
  const known = items.lines.length === now.length ? items.lines : [];
  const left = known.map((lines, at) => ({ label: now[at], lines }));
  const lines = wanted.map((label) => {
    const at = left.findIndex((item) => item.label === label);
    const [found] = at < 0 ? [] : left.splice(at, 1);
    return found?.lines ?? `${items.indent}- ${scalarText(label, "")}${eol}`;
  });
  return [eol, items.above, ...lines.map((line) => (line.endsWith("\n") ? line : line + eol))].join(
    "",
  );
}

/** The lines of each item, and those above the first one. */
function itemsOf(text: string): { above: string; indent: string; lines: string[] } {
  const lines: string[] = [];
  let above = "";
  let indent: string | undefined;
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    const own = /^([ \t]*)-(?:[ \t]|\r?\n|$)/.exec(line)?.[1];
    if (own !== undefined && (indent === undefined || own === indent)) {
      indent = own;
      lines.push(line);
    } else if (lines.length === 0) above += line;
    else lines.push(`${lines.pop() ?? ""}${line}`);
  }
  return { above, indent: indent ?? "  ", lines };
}
