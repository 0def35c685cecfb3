/** The end of a long text without secrets: what is cut away must not be what tells that the rest is one. */
import { KEY_BODY } from "./key-lines.ts";
import { redact } from "./redact.ts";

const KEY_END = /-----END [^\n]{0,40}-----/;

/**
 * At most so many characters from the end, of whole lines where there are some. `isCut`: something came before the text, so that its first line may be
 * half of one, and what follows the rest of a key.
 */
export function redactTail(text: string, mostCharacters: number, isCut: boolean): string {
  const clean = redact(isCut ? withoutRest(text) : text);
  if (clean.length <= mostCharacters) return clean;
  const tail = clean.slice(-mostCharacters);
  const firstBreak = tail.indexOf("\n");
  return firstBreak < 0 ? tail : tail.slice(firstBreak + 1);
}

/** Without the line that was cut, and without lines that may belong to a secret which began before it. */
function withoutRest(text: string): string {
  const lines = text.split("\n").slice(1);
  const end = lines.findIndex((line) => KEY_END.test(line));
  const begin = lines.findIndex((line) => line.includes("-----BEGIN "));
  const afterEnd = end >= 0 && (begin < 0 || end < begin) ? end + 1 : 0;
  const rest = lines.slice(afterEnd);
  const first = rest.findIndex((line) => !KEY_BODY.test(line));
  return (first < 0 ? [] : rest.slice(first)).join("\n");
}
