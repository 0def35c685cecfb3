/**
 * The index of a new work tree: the same entries and flags, with the stat data of the files that were just written. Only
 * where the file has the very bytes of its entry: whether a converted file is clean is for git to find out.
 */
import { createHash } from "node:crypto";
import type { BigIntStats } from "node:fs";
import type { BytePath } from "../../../domain/byte-path.ts";
import { IndexFile } from "../index-file.ts";
import type { HashName } from "../object-hash.ts";
import { portableIndex } from "../portable-index.ts";
import { entryMode } from "../tree-builder.ts";
import type { WrittenFile } from "./fill-work-tree.ts";

const NANO = 1_000_000_000n;
/** Git keeps 32 bits of each. */
const MASK = 0xffff_ffffn;

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
  const end = bytes.length - (hash === "sha1" ? 20 : 32);
  createHash(hash).update(bytes.subarray(0, end)).digest().copy(bytes, end);
  return bytes;
}

/** As git lays it out; the mode between inode and owner stays. */
function writeStat(bytes: Buffer, start: number, stat: BigIntStats): void {
  const before = [
    stat.ctimeNs / NANO,
    stat.ctimeNs % NANO,
    stat.mtimeNs / NANO,
    stat.mtimeNs % NANO,
    stat.dev,
    stat.ino,
  ];
  const after = [stat.uid, stat.gid, stat.size];
  for (const [at, value] of before.entries()) bytes.writeUInt32BE(low(value), start + 4 * at);
  for (const [at, value] of after.entries()) bytes.writeUInt32BE(low(value), start + 28 + 4 * at);
}

function low(value: bigint): number {
  return Number(value & MASK);
}
