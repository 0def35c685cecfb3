/**
 * Reads an archive once, into the quarantine. Everything that is checked later is checked on this copy, so a file that
 * changes meanwhile changes nothing.
 */
import { closeSync, constants, fstatSync, fsyncSync, openSync, readSync, statSync } from "node:fs";
import { createHash } from "node:crypto";
import { Failure } from "../../../domain/failure.ts";
import { pauser } from "../../../ports/progress.ts";
import { writeAll } from "../../files/durable-write.ts";
import { isMissing } from "../../files/errors.ts";
import { LONGEST_HEADER, parseHeader, type BundleHeader } from "./bundle-header.ts";
import { refusal } from "./refusal.ts";

export interface CopiedArchive {
  readonly header: BundleHeader;
  readonly bytes: number;
  readonly sha256: string;
  readonly packBytes: number;
}

const PIECE = 1024 * 1024;

/** The size of a plain file. Nothing else is opened: a pipe would wait for ever, and a device may act on it. */
export function archiveBytes(file: string): number {
  try {
    const stat = statSync(file);
    if (stat.isFile()) return stat.size;
    throw refusal(`${file} is not a file`);
  } catch (error) {
    if (!isMissing(error)) throw error;
    throw new Failure("file_not_found", `no such file: ${file}`, {
      hint: "`waymark export` writes one.",
    });
  }
}

/** Writes the pack of the archive to a new file. */
export async function copyArchive(
  file: string,
  packPath: string,
  advance: (bytes: number) => void,
): Promise<CopiedArchive> {
  const from = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(from);
    if (!stat.isFile()) throw refusal(`${file} is not a file`);
    const start = readStart(from, Math.min(stat.size, LONGEST_HEADER));
    const { header, packAt } = parseHeader(start);
    const digest = createHash("sha256").update(start.subarray(0, packAt));
    const to = openSync(packPath, "wx", 0o600);
    let at = packAt;
    advance(at);
    const pause = pauser();
    try {
      const piece = Buffer.allocUnsafe(PIECE);
      while (at < stat.size) {
        const got = readSync(from, piece, 0, Math.min(PIECE, stat.size - at), at);
        if (got === 0) throw refusal("it was truncated while it was read");
        digest.update(piece.subarray(0, got));
        writeAll(to, piece.subarray(0, got));
        at += got;
        advance(got);
        await pause();
      }
      fsyncSync(to);
    } finally {
      closeSync(to);
    }
    return { header, bytes: stat.size, sha256: digest.digest("hex"), packBytes: at - packAt };
  } finally {
    closeSync(from);
  }
}

function readStart(fd: number, length: number): Buffer {
  const start = Buffer.allocUnsafe(length);
  let got = 0;
  while (got < length) {
    const count = readSync(fd, start, got, length - got, got);
    if (count === 0) break;
    got += count;
  }
  return start.subarray(0, got);
}
