/** Plain SHA-256 of files and link targets, as `sha256sum` prints it. */
import { createHash } from "node:crypto";
import { closeSync, constants, openSync, readSync } from "node:fs";
import type { ContentIds } from "./exchange/file-mover.ts";

const PIECE = 1024 * 1024;

export const sha256Ids: ContentIds = {
  ofFile(path) {
    // O_NONBLOCK: a fifo that took the file's place must not hang us.
    const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      return hashOpen(fd);
    } finally {
      closeSync(fd);
    }
  },
  ofLink: (target) => createHash("sha256").update(target).digest("hex"),
};

function hashOpen(fd: number): string {
  const digest = createHash("sha256");
  const piece = Buffer.allocUnsafe(PIECE);
  for (let got = readSync(fd, piece); got > 0; got = readSync(fd, piece)) {
    digest.update(piece.subarray(0, got));
  }
  return digest.digest("hex");
}
