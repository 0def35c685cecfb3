/**
 * Names that `git fsck --strict` calls hostile are stored escaped, so that what we export passes our own strict
 * import. `waymark=` followed by the bytes in hexadecimal; a real name that begins like this is escaped too, so
 * that reading back is never ambiguous.
 */
const PREFIX = "waymark=";

/** What every escaped name begins with. */
export const ESCAPED = PREFIX;

/** Code points that HFS+ ignores when it compares names, in UTF-8 as latin1 text. */
const HFS_IGNORED =
  /\u00e2\u0080[\u008c-\u008f\u00aa-\u00ae]|\u00e2\u0081[\u00aa-\u00af]|\u00ef\u00bb\u00bf/g;

const DOT_GIT = /(?:^|\\)(?:\.git|git~1)[ .]*(?:[:\\]|$)/i;
/** Files that git reads from a tree must be plain files; `~1` is how Windows shortens any name, so all of those. */
const GITS_OWN = /(?:^|\\)(?:\.git(?:modules|attributes|ignore)|\.mailmap)|~\d/i;
const MODULES = /(?:^|\\)(?:\.gitmodules|gi[0-9a-z]{4}~\d|gitmod~\d)/i;

/** Something of every hostile name, also of one that hides behind ignored code points: most names have none of it. */
const SUSPICIOUS = /git|~|mailmap|^waymark=|[\u00e2\u00ef]/i;

/** Whether some file system takes this name for `.git`. */
export function isDotGit(name: string): boolean {
  return DOT_GIT.test(name.replaceAll(HFS_IGNORED, ""));
}

export type NameKind = "file" | "link" | "folder";

export function storedName(name: string, kind: NameKind): string {
  if (!SUSPICIOUS.test(name)) return name;
  const plain = name.replaceAll(HFS_IGNORED, "");
  const hostile =
    name.startsWith(PREFIX) ||
    DOT_GIT.test(plain) ||
    (kind === "link" && GITS_OWN.test(plain)) ||
    (kind === "folder" && MODULES.test(plain));
  return hostile ? PREFIX + toHex(name) : name;
}

/** Of a file. */
export function storedPath(path: string): string {
  const names = path.split("/");
  return names
    .map((name, at) => storedName(name, at === names.length - 1 ? "file" : "folder"))
    .join("/");
}

export function originalName(stored: string): string {
  if (!stored.startsWith(PREFIX)) return stored;
  const hex = stored.slice(PREFIX.length);
  if (!/^(?:[0-9a-f]{2})+$/.test(hex)) return stored;
  let name = "";
  for (let i = 0; i < hex.length; i += 2) {
    name += String.fromCharCode(Number.parseInt(hex.slice(i, i + 2), 16));
  }
  // Not one of ours: no file has such a name.
  return /[/\0]/.test(name) || name === "." || name === ".." ? stored : name;
}

function toHex(name: string): string {
  let hex = "";
  for (const char of name) hex += char.charCodeAt(0).toString(16).padStart(2, "0");
  return hex;
}
