/**
 * Paths as git sees them: bytes, relative to the project's root, separated by slashes.
 *
 * A BytePath is a string with one character per byte (latin1). So any name that a file system allows fits,
 * string comparison is byte comparison (git's order), and paths work as Map keys.
 */
declare const bytePathBrand: unique symbol;
export type BytePath = string & { readonly [bytePathBrand]: true };

export const ROOT = "" as BytePath;

export function asBytePath(latin1: string): BytePath {
  return latin1 as BytePath;
}

export function parentOf(path: BytePath): BytePath {
  const slash = path.lastIndexOf("/");
  return (slash < 0 ? "" : path.slice(0, slash)) as BytePath;
}

export function nameOf(path: BytePath): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

export function joinPath(folder: BytePath, name: string): BytePath {
  return (folder === "" ? name : `${folder}/${name}`) as BytePath;
}

/** Every folder above a path, nearest first, without the root. */
export function ancestorsOf(path: BytePath): BytePath[] {
  const found: BytePath[] = [];
  for (let folder = parentOf(path); folder !== ""; folder = parentOf(folder)) found.push(folder);
  return found;
}

export function isInside(path: BytePath, folder: BytePath): boolean {
  return folder === "" || path === folder || path.startsWith(`${folder}/`);
}

export function comparePaths(left: string, right: string): number {
  return left < right ? -1 : left > right ? 1 : 0;
}

const PLAIN_ASCII = /^[\x20-\x21\x23-\x5b\x5d-\x7e][\x20-\x7e]*$/;

/**
 * The form that people and JSON documents see: the UTF-8 text where the bytes are valid UTF-8 without control
 * characters, else git's C-quoted form in double quotes. Reversible by parsePath.
 */
export function showPath(path: BytePath): string {
  if (PLAIN_ASCII.test(path)) return path;
  const text = decodeUtf8(path);
  if (text !== undefined && !text.startsWith('"') && !hasControl(text)) return text;
  return quoted(path);
}

/** Reads what showPath wrote, and plain UTF-8 text from the command line. */
export function parsePath(shown: string): BytePath {
  if (shown.length >= 2 && shown.startsWith('"') && shown.endsWith('"')) {
    const inner = unquoted(shown.slice(1, -1));
    if (inner !== undefined) return inner as BytePath;
  }
  return encodeUtf8(shown) as BytePath;
}

export function encodeUtf8(text: string): string {
  let out = "";
  for (const byte of new TextEncoder().encode(text)) out += String.fromCharCode(byte);
  return out;
}

export function decodeUtf8(latin1: string): string | undefined {
  const bytes = new Uint8Array(latin1.length);
  for (let i = 0; i < latin1.length; i++) bytes[i] = latin1.charCodeAt(i);
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

function hasControl(text: string): boolean {
  for (const char of text) {
    const code = char.codePointAt(0) ?? 0;
    if (code < 0x20 || (code >= 0x7f && code < 0xa0) || isBidiControl(code)) return true;
  }
  return false;
}

/** Characters that reorder what a terminal shows; a name with one is shown quoted. */
function isBidiControl(code: number): boolean {
  return (code >= 0x202a && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069);
}

const ESCAPES: Readonly<Record<string, string>> = {
  "\x07": "\\a",
  "\b": "\\b",
  "\t": "\\t",
  "\n": "\\n",
  "\v": "\\v",
  "\f": "\\f",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};
const UNESCAPES: Readonly<Record<string, string>> = {
  a: "\x07",
  b: "\b",
  t: "\t",
  n: "\n",
  v: "\v",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

function quoted(path: BytePath): string {
  let out = '"';
  for (const char of path) {
    const code = char.charCodeAt(0);
    const known = ESCAPES[char];
    if (known !== undefined) out += known;
    else if (code < 0x20 || code >= 0x7f) out += `\\${code.toString(8).padStart(3, "0")}`;
    else out += char;
  }
  return `${out}"`;
}

function unquoted(inner: string): string | undefined {
  let out = "";
  for (let i = 0; i < inner.length; i++) {
    const char = inner.charAt(i);
    if (char !== "\\") {
      if (char === '"' || char.charCodeAt(0) > 0x7e) return undefined;
      out += char;
      continue;
    }
    const octal = /^[0-3][0-7]{2}/.exec(inner.slice(i + 1))?.[0];
    if (octal !== undefined) {
      out += String.fromCharCode(Number.parseInt(octal, 8));
      i += 3;
      continue;
    }
    const known = UNESCAPES[inner.charAt(i + 1)];
    if (known === undefined) return undefined;
    out += known;
    i += 1;
  }
  return out;
}

const MAX_SHOWN = 300;

/** For people, a shown path without its middle when it is very long: its beginning and its end say which it is. */
export function shortened(path: string): string {
  if (path.length <= MAX_SHOWN) return path;
  const half = MAX_SHOWN / 2;
  return `${path.slice(0, half)}…${path.slice(-half)}`;
}
