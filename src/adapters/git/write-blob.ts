/** Stored files out of the repository in pieces: they may be larger than memory. */
import { closeSync, ftruncateSync, openSync, rmSync } from "node:fs";
import { writeAll } from "../files/durable-write.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { PackSpool } from "./pack-spool.ts";

/** Blobs up to this are held in memory on their way into a pack. */
const IN_MEMORY = 8 * 1024 * 1024;

/** Writes a blob, checked, to an empty file that is open. `onSize` may refuse it by throwing. */
export async function writeBlob(
  reader: ObjectReader,
  oid: string,
  fd: number,
  onSize: (bytes: number) => void = () => undefined,
): Promise<void> {
  let at = 0;
  await reader.readPieces(oid, "blob", {
    begin: (size) => {
      onSize(size);
      if (at > 0) ftruncateSync(fd, 0);
      at = 0;
    },
    take: (piece) => {
      writeAll(fd, piece, at);
      at += piece.length;
    },
  });
}

/** The first bytes of a blob, at most so many; all of it is checked. */
export async function blobHead(reader: ObjectReader, oid: string, most: number): Promise<Buffer> {
  let pieces: Buffer[] = [];
  let got = 0;
  await reader.readPieces(oid, "blob", {
    begin: () => {
      pieces = [];
      got = 0;
    },
    take: (piece) => {
      if (got < most) pieces.push(piece.subarray(0, most - got));
      got += piece.length;
    },
  });
  return Buffer.concat(pieces);
}

/** Puts a blob of the repository into a new pack as well. */
export async function spoolBlob(
  reader: ObjectReader,
  spool: PackSpool,
  oid: string,
): Promise<void> {
  let pieces: Buffer[] = [];
  let size = 0;
  let at = 0;
  let large: { readonly path: string; readonly fd: number } | undefined;
  try {
    await reader.readPieces(oid, "blob", {
      begin: (bytes) => {
        size = bytes;
        pieces = [];
        at = 0;
        if (size <= IN_MEMORY || large !== undefined) return;
        const path = spool.scratchPath();
        large = { path, fd: openSync(path, "wx+", 0o600) };
      },
      take: (piece) => {
        if (large === undefined) pieces.push(piece);
        else writeAll(large.fd, piece, at);
        at += piece.length;
      },
    });
    if (large === undefined) spool.add(oid, "blob", Buffer.concat(pieces));
    else await spool.addLarge(large.fd, size);
  } finally {
    if (large !== undefined) {
      closeSync(large.fd);
      rmSync(large.path, { force: true });
    }
  }
}
