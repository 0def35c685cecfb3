/** The entries of an index file as they can be put into another one. */
import type { BytePath } from "../../../domain/byte-path.ts";
import type { IndexFile } from "../index-file.ts";

const STAT_BYTES = 40;
const BEFORE_MODE = 24;
const AFTER_MODE = 28;
const MTIME_SECONDS = 8;
const EXTENDED = 0x4000;
const NAME_MASK = 0x0fff;

export interface Entry {
  readonly path: BytePath;
  readonly stage: number;
  /** Stat data, mode, object id and flags, without the length of the name. */
  readonly head: Buffer;
  /** Two more bytes of flags are at its end. */
  readonly isExtended: boolean;
}

export function entriesOf(index: IndexFile, oidBytes: number): Entry[] {
  return Array.from({ length: index.length }, (_, entry) => {
    const start = index.entryStart(entry);
    const flagsAt = start + STAT_BYTES + oidBytes;
    const isExtended = (index.bytes.readUInt16BE(flagsAt) & EXTENDED) !== 0;
    const head = Buffer.from(index.bytes.subarray(start, flagsAt + (isExtended ? 4 : 2)));
    head.writeUInt16BE(
      head.readUInt16BE(STAT_BYTES + oidBytes) & ~NAME_MASK,
      STAT_BYTES + oidBytes,
    );
    return { path: index.path(entry), stage: index.stage(entry), head, isExtended };
  });
}

export const keyOf = ({ path, stage }: Entry): string => `${stage}${path}`;

/** Everything but stat data. */
export function isEqual(left: Entry, right: Entry): boolean {
  return withoutStat(left).head.equals(withoutStat(right).head);
}

export function withoutStat(entry: Entry): Entry {
  const head = Buffer.from(entry.head);
  head.fill(0, 0, BEFORE_MODE);
  head.fill(0, AFTER_MODE, STAT_BYTES);
  return { ...entry, head };
}

/** By whole seconds: most builds of git compare no more than these, and so would miss a later edit in the same one. */
export function isRacy({ head }: Entry, indexMtimeNs: bigint): boolean {
  return head.readUInt32BE(MTIME_SECONDS) >= Number(indexMtimeNs / 1_000_000_000n) >>> 0;
}

export function encodeEntry(entry: Entry): Buffer {
  const name = Buffer.from(entry.path, "latin1");
  const head = Buffer.from(entry.head);
  const flagsAt = head.length - (entry.isExtended ? 4 : 2);
  head.writeUInt16BE(head.readUInt16BE(flagsAt) | Math.min(name.length, NAME_MASK), flagsAt);
  const length = head.length + name.length;
  return Buffer.concat([head, name, Buffer.alloc(8 - (length % 8))]);
}
