/** Reads a file that others may be writing: read again when it changed meanwhile, and say so if it never holds still. */
import { closeSync, constants, fstatSync, openSync, readlinkSync, readSync } from "node:fs";
import { objectId, startObjectHash, type HashName } from "../git/object-hash.ts";
import { freshnessOf, permissions, statKey, statOf, TICK_MS, type Freshness } from "./file-stat.ts";

/** Files up to this are held in memory once; larger ones are read twice, in pieces. */
const IN_MEMORY = 8 * 1024 * 1024;
const PIECE = 1024 * 1024;
const TRIES = 4;

export interface BlobSink {
  /** Sees the beginning of the file before it is asked whether it wants it: a MiB or more, or all of it. */
  inspect?(head: Buffer): void;
  /** True when the content has to be stored. */
  wants(oid: string): boolean;
  add(oid: string, content: Buffer): void;
  /** Stores a large blob from a descriptor; returns the id of what was really stored. */
  addLarge(fd: number, size: number): Promise<string>;
}

export interface ReadFile {
  readonly oid: string;
  readonly size: number;
  readonly mode: number;
  readonly statKey: string;
  /** It changed during every reading. */
  readonly unstable: boolean;
  readonly freshness: Freshness;
}

export function readLink(path: Buffer): Buffer {
  return readlinkSync(path, { encoding: "buffer" });
}

/** Undefined when it is not a plain file (any more). Opened without following links and without blocking. */
export async function readStable(
  path: Buffer,
  hash: HashName,
  sink: BlobSink,
): Promise<ReadFile | undefined> {
  let result: ReadFile | undefined;
  let previous = "";
  for (let attempt = 0; attempt < TRIES; attempt++) {
    result = await readOnce(path, hash, sink);
    if (result === undefined) return undefined;
    // Written in this very tick of the clock: only a second reading of the same bytes proves that nobody still is.
    const isSure = result.freshness === "old" || result.oid === previous;
    if (!result.unstable && isSure) return result;
    previous = result.oid;
    // Not for each of very many files on a disk with coarse time stamps.
    const isWaiting = result.unstable || result.freshness === "this_tick";
    if (isWaiting) await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
  return result === undefined ? undefined : { ...result, unstable: true };
}

async function readOnce(
  path: Buffer,
  hash: HashName,
  sink: BlobSink,
): Promise<ReadFile | undefined> {
  // O_NONBLOCK: a fifo that took the file's place must not hang us.
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) return undefined;
    const expected = Number(before.size);
    const { oid, size } =
      expected <= IN_MEMORY
        ? readSmall(fd, expected, hash, sink)
        : await readLarge(fd, expected, hash, sink);
    const after = fstatSync(fd, { bigint: true });
    const atPath = statOf(path);
    const key = statKey(before);
    const unstable =
      size !== expected || key !== statKey(after) || atPath?.ino !== before.ino || oid === "";
    return {
      oid,
      size,
      mode: permissions(after),
      statKey: key,
      unstable,
      freshness: freshnessOf(after, Date.now()),
    };
  } finally {
    closeSync(fd);
  }
}

function readSmall(
  fd: number,
  expected: number,
  hash: HashName,
  sink: BlobSink,
): { oid: string; size: number } {
  const content = readWhole(fd, expected);
  sink.inspect?.(content);
  const oid = objectId(hash, "blob", content);
  if (sink.wants(oid)) sink.add(oid, content);
  return { oid, size: content.length };
}

function readWhole(fd: number, expected: number): Buffer {
  const pieces: Buffer[] = [];
  // One byte more than expected, so that a growing file is noticed.
  for (let piece = Buffer.allocUnsafe(expected + 1); ; piece = Buffer.allocUnsafe(PIECE)) {
    let filled = 0;
    while (filled < piece.length) {
      const got = readSync(fd, piece, filled, piece.length - filled, null);
      if (got === 0) {
        pieces.push(piece.subarray(0, filled));
        return pieces.length === 1 && pieces[0] !== undefined ? pieces[0] : Buffer.concat(pieces);
      }
      filled += got;
    }
    pieces.push(piece);
  }
}

async function readLarge(
  fd: number,
  size: number,
  hash: HashName,
  sink: BlobSink,
): Promise<{ oid: string; size: number }> {
  const oid = hashDescriptor(fd, size, hash, (head) => sink.inspect?.(head));
  if (oid === undefined) return { oid: "", size: -1 };
  if (!sink.wants(oid)) return { oid, size };
  return { oid: await sink.addLarge(fd, size), size };
}

/** The blob id of the first `size` bytes, or undefined when the file is shorter. */
export function hashDescriptor(
  fd: number,
  size: number,
  hash: HashName,
  onFirst?: (piece: Buffer) => void,
  onPiece?: (piece: Buffer) => void,
): string | undefined {
  const digest = startObjectHash(hash, "blob", size);
  const piece = Buffer.allocUnsafe(Math.min(PIECE, size));
  for (let at = 0; at < size;) {
    const got = readSync(fd, piece, 0, Math.min(PIECE, size - at), at);
    if (got === 0) return undefined;
    if (at === 0) onFirst?.(piece.subarray(0, got));
    digest.update(piece.subarray(0, got));
    onPiece?.(piece.subarray(0, got));
    at += got;
  }
  return digest.digest("hex");
}

/** The blob id of a file that nobody else writes. */
export function hashFile(path: Buffer | string, hash: HashName): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const oid = hashDescriptor(fd, Number(fstatSync(fd, { bigint: true }).size), hash);
    return oid ?? "";
  } finally {
    closeSync(fd);
  }
}
