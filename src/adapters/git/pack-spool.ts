/**
 * Collects new objects in one pack file, written as they come so that memory stays flat.
 *
 * One pack and not loose objects: it is one file to sync instead of hundreds, and does not set off `git gc --auto`.
 * `git index-pack` reads every object of it again before it counts.
 */
import { closeSync, fsyncSync, ftruncateSync, openSync, readSync, writeSync } from "node:fs";
import { createHash } from "node:crypto";
import { deflateSync, createDeflate } from "node:zlib";
import { writeAll } from "../files/durable-write.ts";
import { startObjectHash, type HashName, type ObjectType } from "./object-hash.ts";

const TYPE_NUMBERS: Readonly<Record<ObjectType, number>> = { commit: 1, tree: 2, blob: 3, tag: 4 };
/** Speed counts more than size here; `git gc` packs again anyway. */
const LEVEL = { level: 1 } as const;
const PIECE = 1024 * 1024;
/** What is left of a sample that is worth compressing. */
const WORTH_IT = 0.95;

export class PackSpool {
  readonly #makePath: (() => string) | undefined;
  #path = "";
  readonly #hash: HashName;
  /** Where each begins and ends; undefined: it waits for the end. */
  readonly #stored = new Map<string, readonly [start: number, end: number] | undefined>();
  #waiting: { readonly type: ObjectType; readonly content: Buffer }[] = [];
  #fd: number | undefined;
  #end = 12;

  /**
   * The path is asked for with the first object: most checkpoints of an unchanged project need no file. Without one nothing is
   * stored, for those who only want to know what it would be.
   */
  constructor(path: (() => string) | undefined, hash: HashName) {
    this.#makePath = path;
    this.#hash = hash;
  }

  get keeps(): boolean {
    return this.#makePath !== undefined;
  }

  get count(): number {
    return this.#stored.size;
  }

  has(oid: string): boolean {
    return this.#stored.has(oid);
  }

  add(oid: string, type: ObjectType, content: Buffer): void {
    if (this.#stored.has(oid) || !this.keeps) return;
    const start = this.#end;
    this.#write(type, content);
    this.#stored.set(oid, [start, this.#end]);
  }

  /** Stores it when the pack is completed: for what is large and mostly thrown away. */
  addLater(oid: string, type: ObjectType, content: Buffer): void {
    if (this.#stored.has(oid) || !this.keeps) return;
    this.#waiting.push({ type, content });
    this.#stored.set(oid, undefined);
  }

  /** Stores the first `size` bytes of a file piece by piece; returns the id of what was stored, "" if it shrank. */
  async addLarge(fd: number, size: number, onPiece?: (piece: Buffer) => void): Promise<string> {
    const start = this.#end;
    const digest = startObjectHash(this.#hash, "blob", size);
    this.#append(objectHeader("blob", size));
    const deflate = createDeflate(compressionFor(fd, size));
    deflate.on("data", (chunk: Buffer) => this.#append(chunk));
    const finished = new Promise<void>((resolve, reject) => {
      deflate.on("end", resolve);
      deflate.on("error", reject);
    });
    let at = 0;
    while (at < size) {
      const piece = Buffer.allocUnsafe(Math.min(PIECE, size - at));
      const got = readSync(fd, piece, 0, piece.length, at);
      if (got === 0) break;
      const part = piece.subarray(0, got);
      digest.update(part);
      onPiece?.(part);
      at += got;
      if (!deflate.write(part)) await new Promise((resolve) => deflate.once("drain", resolve));
    }
    deflate.end();
    await finished;
    const oid = at === size ? digest.digest("hex") : "";
    // What is not wanted is overwritten by the next object.
    if (oid === "" || this.#stored.has(oid)) this.#end = start;
    else this.#stored.set(oid, [start, this.#end]);
    return oid;
  }

  /** Takes over what another one has, which stays as it is. Objects that are known to be stored elsewhere are left out. */
  absorb(other: PackSpool, isStored: (oid: string) => boolean): void {
    for (const [oid, place] of other.#stored) {
      if (place === undefined || this.#stored.has(oid) || isStored(oid)) continue;
      const start = this.#end;
      const [from, to] = place;
      const piece = Buffer.allocUnsafe(Math.min(PIECE, to - from));
      for (let at = from; at < to;) {
        const got = readSync(other.#open(), piece, 0, Math.min(PIECE, to - at), at);
        if (got === 0) throw new Error("the pack file is shorter than what was written to it");
        this.#append(piece.subarray(0, got));
        at += got;
      }
      this.#stored.set(oid, [start, this.#end]);
    }
  }

  /** A file beside the pack, for something that has to be a file before it can be added. */
  scratchPath(): string {
    this.#open();
    return `${this.#path}.scratch`;
  }

  /** Completes the pack: header with the count, trailer with the checksum. Returns its path. */
  finish(sync: boolean): string {
    for (const { type, content } of this.#waiting) this.#write(type, content);
    this.#waiting = [];
    const fd = this.#open();
    const header = Buffer.alloc(12);
    header.write("PACK", "latin1");
    header.writeUInt32BE(2, 4);
    header.writeUInt32BE(this.#stored.size, 8);
    writeAll(fd, header, 0);
    const digest = createHash(this.#hash);
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = 0; at < this.#end;) {
      const got = readSync(fd, piece, 0, Math.min(PIECE, this.#end - at), at);
      if (got === 0) throw new Error("the pack file is shorter than what was written to it");
      digest.update(piece.subarray(0, got));
      at += got;
    }
    this.#append(digest.digest());
    ftruncateSync(fd, this.#end);
    if (sync) fsyncSync(fd);
    this.close();
    return this.#path;
  }

  close(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
  }

  #write(type: ObjectType, content: Buffer): void {
    this.#append(objectHeader(type, content.length));
    this.#append(deflateSync(content, LEVEL));
  }

  #append(content: Buffer): void {
    writeAll(this.#open(), content, this.#end);
    this.#end += content.length;
  }

  #open(): number {
    if (this.#fd === undefined) {
      if (this.#makePath === undefined) throw new Error("nothing is stored here");
      this.#path = this.#makePath();
      this.#fd = openSync(this.#path, "wx+", 0o600);
      writeSync(this.#fd, Buffer.alloc(12), 0, 12, 0);
    }
    return this.#fd;
  }
}

/** Videos, archives and models do not get smaller, and trying takes most of the time. */
function compressionFor(fd: number, size: number): { readonly level: number } {
  const sample = Buffer.allocUnsafe(Math.min(PIECE, size));
  const got = readSync(fd, sample, 0, sample.length, Math.floor((size - sample.length) / 2));
  const packed = deflateSync(sample.subarray(0, got), LEVEL);
  return packed.length < got * WORTH_IT ? LEVEL : { level: 0 };
}

function objectHeader(type: ObjectType, size: number): Buffer {
  const bytes: number[] = [];
  let byte = (TYPE_NUMBERS[type] << 4) | (size & 0x0f);
  let rest = Math.floor(size / 16);
  while (rest > 0) {
    bytes.push(byte | 0x80);
    byte = rest & 0x7f;
    rest = Math.floor(rest / 128);
  }
  bytes.push(byte);
  return Buffer.from(bytes);
}
