/** Changes keys of a JSON text in place. Loads the `jsonc-parser` package, so only a restore of some keys leads here. */
import { applyEdits, modify, type FormattingOptions } from "jsonc-parser";

export interface WantedValue {
  readonly path: readonly string[];
  /** Undefined: it goes. */
  readonly value: unknown;
}

/** Everything that is not named stays to the letter: order, white space, and how numbers are written. */
export function patchJson(text: string, wanted: readonly WantedValue[]): string {
  const formattingOptions = styleOf(text);
  return wanted.reduce(
    (now, { path, value }) => applyEdits(now, modify(now, [...path], value, { formattingOptions })),
    text,
  );
}

function styleOf(text: string): FormattingOptions {
  const indent = /\n([ \t]+)\S/.exec(text)?.[1] ?? "  ";
  return {
    insertSpaces: !indent.startsWith("\t"),
    tabSize: indent.startsWith("\t") ? 4 : indent.length,
    eol: text.includes("\r\n") ? "\r\n" : "\n",
  };
}
