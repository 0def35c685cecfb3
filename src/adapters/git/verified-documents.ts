/**
 * Which checkpoint commits had a right checksum when they were last looked at. A commit never changes under its id, so
 * that need not be computed again for every `list`; what is used is always read and checked by itself.
 */
import { join } from "node:path";
import { writeDurably } from "../files/durable-write.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

export function readVerified(repository: Repository): Set<string> {
  try {
    return new Set(readRegular(cachePath(repository), "latin1").split("\n").filter(Boolean));
  } catch {
    return new Set();
  }
}

/** Only those that still exist, so that the file does not grow for ever. */
export function saveVerified(repository: Repository, oids: readonly string[]): void {
  try {
    writeDurably(cachePath(repository), `${oids.join("\n")}\n`, false);
  } catch {
    // Without it the next list takes longer; that is all.
  }
}

function cachePath(repository: Repository): string {
  return join(repository.sharedDir, "verified-documents");
}
