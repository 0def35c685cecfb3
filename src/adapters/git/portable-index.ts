/**
 * An index for another work tree or another machine: the same entries and flags, without what is only true where it
 * was read (stat data, untracked cache, file system monitor).
 */
import { createHash } from "node:crypto";
import type { HashName } from "./object-hash.ts";
import { IndexFile } from "./index-file.ts";

/** Bytes of stat data before and after the mode. */
const BEFORE_MODE = 24;
const AFTER_MODE = 28;
const STAT_END = 40;

/** Extensions that say nothing about this place. */
const PORTABLE = new Set(["TREE", "REUC", "sdir"]);

export function portableIndex(bytes: Buffer, hash: HashName): Buffer {
  const index = new IndexFile(bytes, hash);
  const oidBytes = hash === "sha1" ? 20 : 32;
  const entries = Buffer.from(bytes.subarray(0, index.entriesEnd));
  for (let entry = 0; entry < index.length; entry++) {
    const start = index.entryStart(entry);
    entries.fill(0, start, start + BEFORE_MODE);
    entries.fill(0, start + AFTER_MODE, start + STAT_END);
  }
  const parts: Buffer[] = [entries];
  const end = bytes.length - oidBytes;
  for (let at = index.entriesEnd; at + 8 <= end;) {
    const size = 8 + bytes.readUInt32BE(at + 4);
    if (PORTABLE.has(bytes.toString("latin1", at, at + 4)))
      parts.push(bytes.subarray(at, at + size));
    at += size;
  }
  const body = Buffer.concat(parts);
  return Buffer.concat([body, createHash(hash).update(body).digest()]);
}
