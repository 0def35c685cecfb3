/** Tree objects: reading and writing their bytes. */
import type { EntryMode } from "../../domain/file-state.ts";
import type { HashName } from "./object-hash.ts";

export interface TreeEntry {
  readonly mode: EntryMode;
  /** One character per byte, as stored. */
  readonly name: string;
  readonly oid: string;
}

/** Git sorts folders as if their names ended with a slash. */
export function compareEntries(left: TreeEntry, right: TreeEntry): number {
  const leftKey = left.mode === "040000" ? `${left.name}/` : left.name;
  const rightKey = right.mode === "040000" ? `${right.name}/` : right.name;
  return leftKey < rightKey ? -1 : leftKey > rightKey ? 1 : 0;
}

export function encodeTree(entries: readonly TreeEntry[]): Buffer {
  const sorted = areSorted(entries) ? entries : entries.toSorted(compareEntries);
  let length = 0;
  for (const { mode, name, oid } of sorted) {
    length += storedMode(mode).length + 2 + name.length + oid.length / 2;
  }
  const content = Buffer.allocUnsafe(length);
  let at = 0;
  for (const { mode, name, oid } of sorted) {
    at += content.write(`${storedMode(mode)} ${name}\0`, at, "latin1");
    at += content.write(oid, at, "hex");
  }
  return content;
}

/** As they mostly are: an index has the order of trees. */
function areSorted(entries: readonly TreeEntry[]): boolean {
  return entries.every((entry, at) => {
    const before = entries[at - 1];
    if (before === undefined) return true;
    // Where neither begins the other, a slash at the end changes nothing.
    const isClear = before.name < entry.name && !entry.name.startsWith(before.name);
    return isClear || compareEntries(before, entry) <= 0;
  });
}

function storedMode(mode: EntryMode): string {
  return mode === "040000" ? "40000" : mode;
}

export function decodeTree(content: Buffer, hash: HashName): TreeEntry[] {
  const oidBytes = hash === "sha1" ? 20 : 32;
  const entries: TreeEntry[] = [];
  for (let at = 0; at < content.length;) {
    const space = content.indexOf(0x20, at);
    const end = content.indexOf(0, space);
    if (space < 0 || end < 0) throw new Error("a tree object is cut short");
    const mode = content.toString("latin1", at, space).padStart(6, "0") as EntryMode;
    entries.push({
      mode,
      name: content.toString("latin1", space + 1, end),
      oid: content.toString("hex", end + 1, end + 1 + oidBytes),
    });
    at = end + 1 + oidBytes;
  }
  return entries;
}
