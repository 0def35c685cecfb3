/**
 * Which checkpoints with parts beside the work tree were taken here. A checkpoint can come by `git fetch`, which nobody is told of, and
 * its document could name any database or file of this machine; so what was not taken here touches nothing outside of the project.
 */
import { cpSync, existsSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { writeDurably } from "../files/durable-write.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

type Shared = Pick<Repository, "sharedDir">;
type Identity = Pick<CheckpointDocument, "id" | "checksum">;

/** Written before the checkpoint can be seen. The checksum makes sure that it is this very document. */
export function markOwnParts(repository: Shared, { id, checksum }: Identity): void {
  writeDurably(join(folder(repository), id), `${checksum}\n`, true);
}

export function hasOwnParts(repository: Shared, { id, checksum }: Identity): boolean {
  try {
    return readRegular(join(folder(repository), id), "utf8") === `${checksum}\n`;
  } catch {
    return false;
  }
}

export function forgetOwnParts(repository: Shared, ids: readonly string[]): void {
  for (const id of ids) rmSync(join(folder(repository), id), { force: true });
}

/** For the private repository of a plain folder that has become a git work tree. */
export function takeOverOwnParts(from: Shared, to: Shared): void {
  if (!existsSync(folder(from))) return;
  cpSync(folder(from), folder(to), { recursive: true, force: false });
}

function folder({ sharedDir }: Shared): string {
  return join(sharedDir, "own-parts");
}
