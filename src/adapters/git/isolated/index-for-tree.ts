/**
 * The index of a new work tree: the same entries and flags, with the stat data of the files that were just written. Only
 * where the file has the very bytes of its entry: whether a converted file is clean is for git to find out.
 */
import type { BytePath } from "../../../domain/byte-path.ts";
import { IndexFile } from "../index-file.ts";
import { sealIndex, writeStat } from "../index-stat.ts";
import type { HashName } from "../object-hash.ts";
import { portableIndex } from "../portable-index.ts";
import { entryMode } from "../tree-builder.ts";
import type { WrittenFile } from "./fill-work-tree.ts";

export function indexForTree(
  raw: Buffer,
  hash: HashName,
  written: ReadonlyMap<BytePath, WrittenFile>,
): Buffer {
  const bytes = portableIndex(raw, hash);
  const index = new IndexFile(bytes, hash);
  for (let entry = 0; entry < index.length; entry++) {
    if (index.stage(entry) !== 0 || index.isIntentToAdd(entry)) continue;
    const file = written.get(index.path(entry));
    const isSame =
      file?.entry.oid === index.oid(entry) && file.entry.mode === entryMode(index.mode(entry));
    if (isSame) writeStat(bytes, index.entryStart(entry), file.stat);
  }
  return sealIndex(bytes, hash);
}
