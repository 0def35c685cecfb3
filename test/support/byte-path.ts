/**
 * File names are bytes. In maps and sets they are kept as latin1 strings (one character per byte), so that a name
 * which is not UTF-8 stays what it is; on disk they are Buffers; for people they are C-quoted as git does it.
 */
export type BytePath = Buffer | string;

export const toBytes = (path: BytePath): Buffer =>
  typeof path === "string" ? Buffer.from(path, "utf8") : path;

/** The key of a path in fingerprints. */
export const toKey = (path: BytePath): string => toBytes(path).toString("latin1");

export const fromKey = (key: string): Buffer => Buffer.from(key, "latin1");

export const joinBytes = (folder: BytePath, name: BytePath): Buffer =>
  Buffer.concat([toBytes(folder), Buffer.from("/"), toBytes(name)]);

/** The folders above a key, nearest first, without the root. */
export function parentsOf(key: string): string[] {
  const parents: string[] = [];
  for (let at = key.lastIndexOf("/"); at > 0; at = key.lastIndexOf("/", at - 1)) {
    parents.push(key.slice(0, at));
  }
  return parents;
}

const named: Readonly<Record<string, string>> = {
  "\t": "\\t",
  "\n": "\\n",
  "\r": "\\r",
  '"': '\\"',
  "\\": "\\\\",
};

/** A key as people read it: plain when it is plain, else in double quotes with escapes. */
export function quoteKey(key: string): string {
  const bytes = fromKey(key);
  const text = bytes.toString("utf8");
  const valid = Buffer.from(text, "utf8").equals(bytes);
  const escaped = [...(valid ? text : key)]
    .map((character) => {
      const code = character.codePointAt(0) ?? 0;
      const plain = code >= 0x20 && code !== 0x7f && (valid || code < 0x80);
      return named[character] ?? (plain ? character : `\\${code.toString(8).padStart(3, "0")}`);
    })
    .join("");
  return escaped === text ? text : `"${escaped}"`;
}
