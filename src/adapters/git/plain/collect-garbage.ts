/** Frees what no checkpoint holds any more. Only in private repositories: anywhere else that is the user's business. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";

/** Another one at work, or a failure: the next one does it. What is being published is kept from it (`.keep`). */
const ANY_END = [0, 1, 128, 255];

export async function collectGarbage(repository: Repository): Promise<void> {
  const { exitCode } = await runGit(repository, ["gc", "-q", "--prune=now"], { accept: ANY_END });
  // One that failed, as on a full disk, leaves the pack that it began with, and nobody else comes to remove that.
  const isAtWork = existsSync(join(repository.commonDir, "gc.pid"));
  if (exitCode === 0 || isAtWork) return;
  await runGit(repository, ["prune", "--expire=now"], { accept: ANY_END });
}
