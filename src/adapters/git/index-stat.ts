/** Stat data in the entries of an index, as git lays it out. */
import { createHash } from "node:crypto";
import type { BigIntStats, Stats } from "node:fs";
import type { HashName } from "./object-hash.ts";

const NANO = 1_000_000_000n;
/** Git keeps 32 bits of each. */
const MASK = 0xffff_ffffn;
const CTIME = 0;
const MTIME = 8;
const INODE = 20;
const UID = 28;
const GID = 32;
const SIZE = 36;

/** The mode between inode and owner stays. */
export function writeStat(bytes: Buffer, start: number, stat: BigIntStats): void {
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
  for (const [at, value] of after.entries()) bytes.writeUInt32BE(low(value), start + UID + 4 * at);
}

function low(value: bigint): number {
  return Number(value & MASK);
}

/** By what git compares: whole seconds, and no device. */
export function hasStat(bytes: Buffer, start: number, stat: Stats): boolean {
  return (
    bytes.readUInt32BE(start + MTIME) === Math.floor(stat.mtimeMs / 1000) >>> 0 &&
    bytes.readUInt32BE(start + CTIME) === Math.floor(stat.ctimeMs / 1000) >>> 0 &&
    bytes.readUInt32BE(start + INODE) === lowOf(stat.ino) &&
    bytes.readUInt32BE(start + SIZE) === lowOf(stat.size) &&
    bytes.readUInt32BE(start + UID) === lowOf(stat.uid) &&
    bytes.readUInt32BE(start + GID) === lowOf(stat.gid)
  );
}

/** Of a number that may have more than 32 bits. */
function lowOf(value: number): number {
  return value % 2 ** 32;
}

/** With the checksum of what it says now; one without (`index.skipHash`) gets none. */
export function sealIndex(bytes: Buffer, hash: HashName): Buffer {
  const end = bytes.length - (hash === "sha1" ? 20 : 32);
  if (bytes.subarray(end).some((byte) => byte !== 0)) {
    createHash(hash).update(bytes.subarray(0, end)).digest().copy(bytes, end);
  }
  return bytes;
}
