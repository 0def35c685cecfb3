/** Words for a POSIX shell that mean exactly these bytes, and that can be shown on a terminal. */
import { decodeUtf8 } from "./byte-path.ts";

const PLAIN = /^[A-Za-z0-9_@%+=:,./-]+$/;

/** `bytes`: one character per byte. */
export function shellWord(bytes: string): string {
  if (PLAIN.test(bytes)) return bytes;
  const text = decodeUtf8(bytes);
  if (text !== undefined && !hasOddCharacters(text)) return singleQuoted(text);
  // Runs of plain characters stand in quotes, all others are printed by number.
  return bytes
    .replaceAll(ODD_RUN, (run) => `\u0000${run}\u0000`)
    .split("\u0000")
    .map(piece)
    .join("");
}

/** Control characters, what is not ASCII, and the character after them: a shell drops newlines at the end of what it printed. */
// oxlint-disable-next-line no-control-regex
const ODD_RUN = /[\u0001-\u001f\u007f-\u00ff]+[\u0020-\u007e]?/g;

function piece(text: string): string {
  if (text === "") return "";
  if (!hasOddBytes(text)) return singleQuoted(text);
  // Only at the very end of a word is there no character to follow.
  if (text.endsWith("\n")) {
    const kept = text.replace(/\n+$/, "");
    return `${kept === "" ? "" : piece(kept)}'${text.slice(kept.length)}'`;
  }
  const octal = [...text].map((byte) => `\\${byte.charCodeAt(0).toString(8).padStart(3, "0")}`);
  return `"$(printf '${octal.join("")}')"`;
}

function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function hasOddBytes(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /[\u0001-\u001f\u007f-\u00ff]/.test(text);
}

function hasOddCharacters(text: string): boolean {
  // oxlint-disable-next-line no-control-regex
  return /[\u0000-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/.test(text);
}
