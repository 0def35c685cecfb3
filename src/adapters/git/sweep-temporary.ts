/** Removes temporary files that killed processes left in our private folders. Their names begin with the process id. */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { OWN_FOLDER, TRANSIENT_FOLDER } from "../files/own-folder-name.ts";
import { MARK_FOLDERS } from "./made-here.ts";
import { isLeftBehind } from "../files/left-behind.ts";
import { removeDead } from "../files/owned-lock.ts";
import { ownLocks, runLockPath } from "./own-locks.ts";
import type { Repository } from "./repository.ts";
import { rollbackLockPath } from "./restore/git-restorer.ts";

/** As `uniqueName` makes them: process id, tag of the place, time, counter. */
const TEMPORARY =
  /(?:^|[.-])(?:tmp-|index-|lock-|rules-|lock\.|takeover\.|dead-)(\d+)-([0-9a-f]{6})[0-9a-z]+-\d+(?:\.lock)?$/;

export function sweepTemporary(repository: Repository): void {
  removeDead(rollbackLockPath(repository));
  removeDead(runLockPath(repository));
  for (const path of ownLocks(repository)) {
    try {
      removeDead(path);
    } catch {
      // Whoever needs it says what is wrong with it: nothing that is swept is a reason to fail.
    }
  }
  for (const path of deadTemporary(repository)) rmSync(path, { recursive: true, force: true });
}

export function deadTemporary(repository: Repository): string[] {
  return [
    ...new Set([repository.privateDir, repository.sharedDir, repository.ownFolder]),
    join(repository.privateDir, "tmp"),
    join(repository.privateDir, "examined"),
    join(repository.privateDir, "agents"),
    join(repository.privateDir, "agents", "sessions"),
    join(repository.sharedDir, "guards"),
    ...MARK_FOLDERS.map((folder) => join(repository.sharedDir, folder)),
    join(repository.sharedDir, "isolated"),
    repository.store.commonDir,
    join(repository.sharedDir, "agents-installed"),
    join(repository.ownFolder, "exports"),
    join(repository.workTree, TRANSIENT_FOLDER),
    join(repository.workTree, OWN_FOLDER, "tmp"),
  ].flatMap((folder) =>
    namesIn(folder).flatMap((name) => {
      const [, pid, tag] = TEMPORARY.exec(name) ?? [];
      if (pid === undefined || tag === undefined) return [];
      const path = join(folder, name);
      return isLeftBehind(path, Number(pid), tag) ? [path] : [];
    }),
  );
}
