/**
 * Looks through a pack before git does, and refuses one that would unfold to more than is allowed. Git believes the
 * sizes that a pack names and takes that much memory; here nothing is held that was not counted first.
 */
import { readSync } from "node:fs";
import type { ArchiveLimits } from "../../../domain/archive.ts";
import type { HashName } from "../object-hash.ts";
import { pauser } from "../../../ports/progress.ts";
import { inflateEntry, type ReadAt } from "./inflate-entry.ts";
import { refusal } from "./refusal.ts";

export interface PackSize {
  readonly objects: number;
  readonly contentBytes: number;
  readonly largestBytes: number;
}

const COMMIT = 1;
const TAG = 4;
const OFFSET_DELTA = 6;
const HEADER_BYTES = 12;
const WINDOW = 1024 * 1024;
/** Type, size and offset of an entry take fewer. */
const ENTRY_HEADER = 32;

export async function scanPack(
  fd: number,
  packBytes: number,
  hash: HashName,
  limits: ArchiveLimits,
  advance: (bytes: number) => void,
): Promise<PackSize> {
  const readAt = windowOn(fd, packBytes);
  const head = readAt(0, HEADER_BYTES);
  if (head.length < HEADER_BYTES || head.toString("latin1", 0, 4) !== "PACK") {
    throw refusal("it contains no pack");
  }
  const version = head.readUInt32BE(4);
  if (version !== 2 && version !== 3) throw refusal(`its pack has version ${version}`);
  const objects = head.readUInt32BE(8);
  if (objects > limits.objects) {
    throw tooMuch(`it contains ${objects} objects, more than ${limits.objects}`);
  }
  const depths = new Map<number, number>();
  let contentBytes = 0;
  let largestBytes = 0;
  let at = HEADER_BYTES;
  advance(at);
  const pause = pauser();
  for (let entry = 0; entry < objects; entry++) {
    const { type, size, base, dataAt } = readEntryHeader(readAt, at);
    if (size > limits.objectBytes) throw tooLarge(size, limits);
    const depth = type === OFFSET_DELTA ? depthOf(depths, at - base) : 0;
    if (depth > limits.deltaDepth) throw tooMuch(`its delta chains are ${depth} deep`);
    depths.set(at, depth);
    const { consumed, head: content } = await inflateEntry(readAt, dataAt, size);
    const unfolded = type === OFFSET_DELTA ? resultSize(content) : size;
    if (unfolded > limits.objectBytes) throw tooLarge(unfolded, limits);
    contentBytes += Math.max(size, unfolded);
    largestBytes = Math.max(largestBytes, size, unfolded);
    if (contentBytes > limits.contentBytes) {
      throw tooMuch(`its objects unpack to more than ${megabytes(limits.contentBytes)} MB`);
    }
    advance(dataAt + consumed - at);
    at = dataAt + consumed;
    await pause();
  }
  const trailer = hash === "sha1" ? 20 : 32;
  if (packBytes - at !== trailer) throw refusal("its pack has the wrong length");
  advance(trailer);
  return { objects, contentBytes, largestBytes };
}

function windowOn(fd: number, end: number): ReadAt {
  let start = 0;
  let bytes = Buffer.alloc(0);
  return (position, length) => {
    const wanted = Math.min(length, end - position);
    if (wanted <= 0) return Buffer.alloc(0);
    if (position < start || position + wanted > start + bytes.length) {
      const fresh = Buffer.allocUnsafe(Math.min(Math.max(WINDOW, wanted), end - position));
      let got = 0;
      while (got < fresh.length) {
        const count = readSync(fd, fresh, got, fresh.length - got, position + got);
        if (count === 0) break;
        got += count;
      }
      start = position;
      bytes = fresh.subarray(0, got);
    }
    return bytes.subarray(position - start, position - start + wanted);
  };
}

interface EntryHeader {
  readonly type: number;
  readonly size: number;
  /** How far before this entry the one that it builds on begins. */
  readonly base: number;
  readonly dataAt: number;
}

function readEntryHeader(readAt: ReadAt, start: number): EntryHeader {
  const bytes = readAt(start, ENTRY_HEADER);
  let at = 0;
  const next = (): number => {
    const byte = bytes[at++];
    if (byte === undefined) throw refusal("its pack is cut short");
    return byte;
  };
  let byte = next();
  const type = (byte >> 4) & 7;
  let size = byte & 15;
  for (let factor = 16; (byte & 0x80) !== 0; factor *= 128) {
    byte = next();
    size += (byte & 0x7f) * factor;
  }
  let base = 0;
  if (type === OFFSET_DELTA) {
    byte = next();
    base = byte & 0x7f;
    while ((byte & 0x80) !== 0) {
      byte = next();
      base = (base + 1) * 128 + (byte & 0x7f);
    }
  } else if (type < COMMIT || type > TAG) {
    throw refusal("its pack has an object of a kind that an export never has");
  }
  return { type, size, base, dataAt: start + at };
}

function depthOf(depths: ReadonlyMap<number, number>, base: number): number {
  const depth = depths.get(base);
  if (depth === undefined) throw refusal("an object in it is a delta of a missing one");
  return depth + 1;
}

/** A delta begins with the size of what it starts from and the size of what it makes. */
function resultSize(delta: Buffer): number {
  let at = 0;
  const number = (): number => {
    let value = 0;
    for (let factor = 1; ; factor *= 128) {
      const byte = delta[at++];
      if (byte === undefined) throw refusal("an object in it is damaged");
      value += (byte & 0x7f) * factor;
      if ((byte & 0x80) === 0) return value;
    }
  };
  number();
  return number();
}

const megabytes = (bytes: number): number => Math.ceil(bytes / 1_000_000);

function tooLarge(size: number, limits: ArchiveLimits) {
  return tooMuch(
    `one object in it is ${megabytes(size)} MB, more than ${megabytes(limits.objectBytes)} MB`,
  );
}

function tooMuch(problem: string) {
  return refusal(`${problem}; --max-size-mb allows more, if you trust its source`, {
    limit: true,
  });
}
