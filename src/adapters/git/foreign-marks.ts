/**
 * Which checkpoints were taken in another repository. Work trees have the same names everywhere, and what an index says
 * about the files of one disk must not be believed on another.
 */
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../files/make-folders.ts";
import type { Repository } from "./repository.ts";

export function markForeign(repository: Repository, ids: readonly string[]): void {
  if (ids.length > 0) makeFolders(folder(repository), 0o700);
  for (const id of ids) writeFileSync(join(folder(repository), id), "");
}

export function isForeign(repository: Repository, id: string): boolean {
  return existsSync(join(folder(repository), id));
}

function folder(repository: Repository): string {
  return join(repository.sharedDir, "imported");
}
