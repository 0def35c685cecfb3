/** Where rollbacks put what they move away, and when that goes. */
import { keepFolder, sweepKept } from "../../files/exchange/kept-aside.ts";
import { sha256Ids } from "../../files/sha256-ids.ts";
import { removeTransientFolder } from "../../files/transient-folder.ts";
import { forEachWith, type Progress } from "../../../ports/progress.ts";
import type { Repository } from "../repository.ts";
import { gitIds } from "./git-ids.ts";
import { IndexAside } from "./index-aside.ts";
import type { Intent } from "./intent.ts";
import { giveUpReserve } from "./reserve.ts";
import { stagingOf, stagingRoots } from "./staging-place.ts";

export function keepAside(repository: Repository, intent: Intent): void {
  const staging = stagingOf(repository, intent);
  new IndexAside(repository, intent).remove();
  giveUpReserve(staging);
  keepFolder(staging, intent.steps, "git");
  removeTransientFolder(repository.workTree);
}

/** Returns the files that somebody wrote to after they were moved away; those stay. */
export async function sweepAside(repository: Repository, progress: Progress): Promise<string[]> {
  const ids = { git: gitIds(repository.hash), sha256: sha256Ids };
  const changed = await sweepKept(stagingRoots(repository), ids, forEachWith(progress));
  removeTransientFolder(repository.workTree);
  return changed;
}
