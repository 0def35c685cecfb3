/** Makes repaired objects part of the repository. Damaged files of the same objects are moved out of git's way, not deleted. */
import { mkdirSync, renameSync } from "node:fs";
import { dirname, join } from "node:path";
import { isMissing } from "../../files/errors.ts";
import type { PackSpool } from "../pack-spool.ts";
import { moveIn } from "../publish.ts";
import type { Quarantine } from "../quarantine.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";

/** The pack stays under a `.keep` file until the quarantine is discarded. */
export async function storeRepaired(
  repository: Repository,
  quarantine: Quarantine,
  spool: PackSpool,
): Promise<void> {
  const pack = spool.finish(true);
  // On its own: git would compare each object with the damaged one that is here, and give up.
  const env = { GIT_OBJECT_DIRECTORY: dirname(pack) };
  const args = ["-c", "pack.writeReverseIndex=false", "index-pack", pack];
  const { stdout } = await runGit(repository, args, { env });
  moveIn(repository, quarantine, pack, stdout.toString("latin1").trim(), true);
}

/** After what replaces it is in place. */
export function setAside(repository: Repository, path: string): void {
  const aside = join(repository.sharedDir, "damaged", path.replaceAll("/", "-"));
  mkdirSync(dirname(aside), { recursive: true, mode: 0o700 });
  try {
    renameSync(join(repository.commonDir, path), aside);
  } catch (error) {
    if (!isMissing(error)) throw error;
  }
}
