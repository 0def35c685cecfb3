/**
 * Which packs git's multi-pack-index names. None of them may be deleted: git reads the index first and then fails on a
 * pack that is not there, in `push`, `clone` and `fsck`.
 *
 * The format is git's gitformat-pack(5). The index is one file, or, with newer versions of git, a chain of files in a folder.
 */
import { closeSync, constants, existsSync, fstatSync, openSync, readSync } from "node:fs";
import { join } from "node:path";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";

const NAME = "multi-pack-index";
const HEADER_BYTES = 12;
const CHUNK_ENTRY_BYTES = 12;
/** Far more than the names of all packs that git can work with. */
const MOST_NAME_BYTES = 64 * 1024 * 1024;

/** The hashes of packs that an index names. Undefined: it cannot be told, so any pack may be one. */
export function packsInMultiPackIndex(packFolder: string): ReadonlySet<string> | undefined {
  const chain = namesIn(join(packFolder, `${NAME}.d`));
  // Somebody writes one just now, with packs that were there a moment ago.
  if (chain.some((name) => name.endsWith(".lock"))) return undefined;
  if (existsSync(join(packFolder, `${NAME}.lock`))) return undefined;
  const layers = chain
    .filter((name) => name.endsWith(".midx"))
    .map((name) => join(packFolder, `${NAME}.d`, name));
  const hashes = new Set<string>();
  for (const path of [join(packFolder, NAME), ...layers]) {
    const names = packNames(path);
    if (names === undefined) return undefined;
    for (const name of names) hashes.add(name.replace(/^pack-|\.(?:idx|pack)$/g, ""));
  }
  return hashes;
}

/** None where there is no such file; undefined when it is not understood. */
function packNames(path: string): string[] | undefined {
  let file;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    return isMissing(error) ? [] : undefined;
  }
  try {
    return readPackNames(file);
  } catch {
    return undefined;
  } finally {
    closeSync(file);
  }
}

function readPackNames(file: number): string[] | undefined {
  const header = bytesAt(file, 0, HEADER_BYTES);
  const version = header[4];
  if (header.toString("latin1", 0, 4) !== "MIDX" || (version !== 1 && version !== 2)) {
    return undefined;
  }
  const table = bytesAt(file, HEADER_BYTES, ((header[6] ?? 0) + 1) * CHUNK_ENTRY_BYTES);
  const at = table.indexOf("PNAM", 0, "latin1");
  if (at === -1 || at % CHUNK_ENTRY_BYTES !== 0) return undefined;
  const begin = Number(table.readBigUInt64BE(at + 4));
  const end = Number(table.readBigUInt64BE(at + 4 + CHUNK_ENTRY_BYTES));
  const text = bytesAt(file, begin, end - begin).toString("latin1");
  // Each name ends with a zero byte; more of them fill the chunk up.
  const names = text.split("\0").filter((name) => name !== "");
  return names.length === header.readUInt32BE(8) ? names : undefined;
}

/** All of them, or an error: a file that is cut short is not understood. */
function bytesAt(file: number, position: number, length: number): Buffer {
  if (length < 0 || length > MOST_NAME_BYTES || position + length > fstatSync(file).size) {
    throw new RangeError("not in the file");
  }
  const bytes = Buffer.alloc(length);
  let read = 0;
  while (read < length) {
    const count = readSync(file, bytes, read, length - read, position + read);
    if (count === 0) throw new RangeError("not in the file");
    read += count;
  }
  return bytes;
}
