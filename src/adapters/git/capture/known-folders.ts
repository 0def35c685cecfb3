/** The tracked folders of an index, and whether they are those of the last checkpoint. */
import { createHash } from "node:crypto";
import type { BytePath } from "../../../domain/byte-path.ts";
import type { CaptureCache } from "../capture-cache.ts";
import type { IndexDifference } from "../index-difference.ts";
import type { IndexSnapshot } from "../index-snapshot.ts";
import { foldersOf } from "../tracked-names.ts";

export interface KnownFolders {
  readonly folders: readonly BytePath[];
  readonly paths: string;
  /** The tracked paths are those of the last time, so what is known about folders still holds. */
  readonly areCurrent: boolean;
}

/** The same index as last time has the same folders. Otherwise the names are compared: content does not matter. */
export function knownFolders(
  snapshot: IndexSnapshot,
  cache: CaptureCache,
  difference: IndexDifference | undefined,
): KnownFolders {
  const { index } = snapshot;
  const isSame = cache.pathsIdentity === snapshot.identity || difference?.samePaths === true;
  if (isSame && cache.trackedFolders.length > 0) {
    return { folders: cache.trackedFolders, paths: cache.paths, areCurrent: true };
  }
  const names: BytePath[] = [];
  for (let entry = 0; entry < (index?.length ?? 0); entry++) {
    if (index !== undefined) names.push(index.path(entry));
  }
  const paths = createHash("sha1").update(names.join("\0"), "latin1").digest("hex");
  return { folders: foldersOf(names), paths, areCurrent: cache.paths === paths };
}
