/** Copies a file that others may be writing: again when it changed meanwhile. Shares its blocks where the file system can. */
import {
  chmodSync,
  closeSync,
  constants,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
} from "node:fs";
import { writeAll } from "../durable-write.ts";
import { freshnessOf, permissions, statKey, statOf, TICK_MS } from "../file-stat.ts";
import { sha256Ids } from "../sha256-ids.ts";

export interface Copied {
  /** Of the copy. */
  readonly sha256: string;
  readonly size: number;
  /** Of the file. */
  readonly mode: number;
  /** It changed during every copying: the copy may be a mixture. */
  readonly isUnstable: boolean;
}

const TRIES = 4;
const PIECE = 1024 * 1024;
const HAS_PROC = existsSync("/proc/self/fd");
/** O_NONBLOCK: a fifo that took the file's place must not hang us. */
const FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK;

/** The copy is for the user alone; it is not synced. Undefined when there is no plain file (any more). */
export async function copyStable(from: Buffer, to: Buffer): Promise<Copied | undefined> {
  let previous = "";
  for (let attempt = 1; ; attempt++) {
    const copied = copyOnce(from, to);
    if (copied === undefined) return undefined;
    const isSure = !copied.isUnstable && (!copied.isJustWritten || copied.sha256 === previous);
    if (isSure || attempt === TRIES) {
      const { sha256, size, mode } = copied;
      return { sha256, size, mode, isUnstable: !isSure };
    }
    previous = copied.sha256;
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
  }
}

function copyOnce(
  from: Buffer,
  to: Buffer,
): (Copied & { readonly isJustWritten: boolean }) | undefined {
  const fd = openSync(from, FLAGS);
  try {
    const before = fstatSync(fd, { bigint: true });
    if (!before.isFile()) return undefined;
    copyOpen(fd, to);
    const after = fstatSync(fd, { bigint: true });
    const size = Number(statOf(to)?.size ?? -1n);
    return {
      sha256: sha256Ids.ofFile(to),
      size,
      mode: permissions(after),
      isUnstable:
        size !== Number(before.size) ||
        statKey(before) !== statKey(after) ||
        statOf(from)?.ino !== before.ino,
      isJustWritten: freshnessOf(after, Date.now()) !== "old",
    };
  } finally {
    closeSync(fd);
  }
}

/** By the descriptor, so that a link that takes the file's place is not followed. */
function copyOpen(fd: number, to: Buffer): void {
  rmSync(to, { force: true });
  if (HAS_PROC) {
    copyFileSync(`/proc/self/fd/${fd}`, to, constants.COPYFILE_FICLONE);
    chmodSync(to, 0o600);
    return;
  }
  const out = openSync(to, "wx", 0o600);
  try {
    const piece = Buffer.allocUnsafe(PIECE);
    for (let at = 0, got = 0; ; at += got) {
      got = readSync(fd, piece, 0, PIECE, at);
      if (got === 0) break;
      writeAll(out, piece.subarray(0, got));
    }
  } finally {
    closeSync(out);
  }
}
