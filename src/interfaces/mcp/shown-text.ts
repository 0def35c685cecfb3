/** Text of users and repositories for models: control characters are visible and do nothing, secrets are gone, long texts are cut and say so. */
import { redact } from "../../domain/secrets/redact.ts";

/** Line breaks and tabs are layout; everything else that steers a terminal or reorders text is spelled out. */
export function escaped(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Bidi_Control}\p{Zl}\p{Zp}]|\p{Cf}/gu, (character) =>
    character === "\n" || character === "\t" || character === "\u200C" || character === "\u200D"
      ? character
      : `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
}

export function cut(text: string, most: number): string {
  if (text.length <= most) return text;
  // No half of a pair.
  const end = /[\uD800-\uDBFF]/.test(text.charAt(most - 1)) ? most - 1 : most;
  return `${text.slice(0, end)}… [${text.length - end} more characters omitted]`;
}

/** For the texts of answers. */
export function shownText(lines: readonly string[], most: number): string {
  return cut(escaped(redact(lines.join("\n"))), most);
}
