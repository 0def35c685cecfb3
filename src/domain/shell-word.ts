/** Words for a POSIX shell that mean exactly these bytes, and that can be shown on a terminal. */
import { decodeUtf8 } from "./byte-path.ts";
import { quoteForShell } from "./shell-quote.ts";

/** `bytes`: one character per byte. */
export function shellWord(bytes: string): string {
  const text = decodeUtf8(bytes);
  if (text !== undefined && !ODD_CHARACTER.test(text)) return quoteForShell(text);
  // Runs of plain characters stand in quotes, all others are printed by number.
  let word = "";
  let end = 0;
  for (const run of bytes.matchAll(ODD_RUN)) {
    word += plain(bytes.slice(end, run.index)) + printed(run[0]);
    end = run.index + run[0].length;
  }
  return word + plain(bytes.slice(end));
}

/** Control characters, and those that reorder what a terminal shows. */
// oxlint-disable-next-line no-control-regex
const ODD_CHARACTER = /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

/** Bytes that are no plain characters, and the one after them: a shell drops newlines at the end of what was printed. */
// oxlint-disable-next-line no-control-regex
const ODD_RUN = /[\u0001-\u001f\u007f-\u00ff]+[\u0020-\u007e]?/g;

function plain(text: string): string {
  return text === "" ? "" : quoteForShell(text);
}

function printed(run: string): string {
  // Only at the very end of a word is there no character that follows.
  const newlines = /\n*$/.exec(run)?.[0] ?? "";
  const rest = run.slice(0, run.length - newlines.length);
  const octal = [...rest].map((byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`);
  const numbers = rest === "" ? "" : `"$(printf '${octal.join("")}')"`;
  return numbers + plain(newlines);
}
