/** Text in lines that fit a terminal, broken between words. */
import { stripVTControlCharacters } from "node:util";
import stringWidth from "fast-string-width";

/** With the space before it. Commands are copied, and stay in one line: those in backquotes, and one that a line ends with. */
const WORD = /(\s*)((?<=: | {2})(?:\p{Cc}\[[\d;]*m)*waymark .*|[("]*`[^`\n]*`[^\s`]*|\S+)/gu;

/** Labels before a text: the further lines of that text are below its first one. */
const LABELS = /^.{0,32}\s{2}(?=\S)/;

/** Each line for itself; further lines are indented as its text is, or by `hang`. A word that is longer than a line stays whole. */
export function wrapped(text: string, columns: number, hang?: string): string {
  return text
    .split("\n")
    .flatMap((line) => wrappedLine(line, columns, hang))
    .join("\n");
}

function wrappedLine(line: string, columns: number, hang: string | undefined): string[] {
  if (stringWidth(line) <= columns) return [line];
  const plain = stripVTControlCharacters(line);
  const labels = LABELS.exec(plain)?.[0] ?? /^\s*/.exec(plain)?.[0] ?? "";
  const indent = hang ?? " ".repeat(stringWidth(labels));
  const lines: string[] = [];
  let current = "";
  for (const [both, , word = ""] of line.matchAll(WORD)) {
    const longer = current + both;
    if (current === "" || stringWidth(longer) <= columns) current = longer;
    else {
      lines.push(current);
      current = indent + word;
    }
  }
  return [...lines, current];
}

/** A page of the docs: lines of the source are joined again, comments left out; code and tables stay. */
export function wrappedPage(markdown: string, columns: number): string {
  const blocks: { text: string; readonly isFixed: boolean }[] = [];
  let isCode = false;
  for (const line of markdown.replaceAll(/<!--[\s\S]*?-->\n?/g, "").split("\n")) {
    const isFence = line.trimStart().startsWith("```");
    const isFixed = isCode || isFence || line === "" || /^(?:#|\|)/.test(line);
    if (isFence) isCode = !isCode;
    const before = blocks.at(-1);
    const begins = /^\s*(?:[-*]|\d+\.) /.test(line);
    if (isFixed || begins || before === undefined || before.isFixed) {
      blocks.push({ text: line, isFixed });
    } else before.text += ` ${line.trim()}`;
  }
  return blocks
    .map(({ text, isFixed }) => {
      const hang = " ".repeat(/^\s*(?:(?:[-*]|\d+\.) )?/.exec(text)?.[0].length ?? 0);
      return isFixed ? text : wrapped(text, columns, hang);
    })
    .join("\n");
}
