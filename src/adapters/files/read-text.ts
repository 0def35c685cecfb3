/** Reads a small text file that somebody wrote, and nothing that is none. */
import { closeSync, constants, fstatSync, openSync, readFileSync } from "node:fs";

/** Settings and workflows are a few pages of text. */
export const MOST_TEXT_BYTES = 1024 * 1024;
export const TOO_LARGE = "it is larger than 1 MB";

/** It cannot be used as a text; the message says why. */
export class NoText extends Error {}

/** Without waiting, and without following a link: what was a file a moment ago may be a pipe now. */
export function readText(path: string): string {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW);
  try {
    const stat = fstatSync(fd);
    if (stat.isDirectory()) throw new NoText("it is a folder");
    if (!stat.isFile()) throw new NoText("it is not a file");
    if (stat.size > MOST_TEXT_BYTES) throw new NoText(TOO_LARGE);
    return decoded(readFileSync(fd));
  } finally {
    closeSync(fd);
  }
}

function decoded(content: Buffer): string {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(content);
  } catch {
    throw new NoText("it is not UTF-8 text");
  }
}
