/**
 * Where isolated work trees are. Not in the git folder, unless somebody asks for that: agents take everything below a `.git` for
 * git's own and refuse to write there, or ask before each file. Not in the project either: its tools would find every file twice.
 */
import { join } from "node:path";
import type { IsolationPlace } from "../../../domain/config.ts";
import { errorCode } from "../../files/errors.ts";
import { makeFolders } from "../../files/make-folders.ts";
import { realOrSame, whereItLeads } from "../../files/real-path.ts";
import { userFolder } from "../../files/user-folders.ts";
import type { Repository } from "../repository.ts";
import { isolatedFolder } from "./tree-records.ts";

/** The folder of the tree with this id, which is its last component: git names the linked work tree by that. */
export function treePath(repository: Repository, place: IsolationPlace, id: string): string {
  const cache = place === "cache" ? cacheFolder(repository) : undefined;
  return join(cache ?? isolatedFolder(repository), id);
}

/** Undefined where there is none that can be written to, as in many containers, or where it is in the project itself. */
function cacheFolder({ workTree }: Repository): string | undefined {
  const cache = userFolder("XDG_CACHE_HOME");
  if (cache === undefined || `${whereItLeads(cache)}/`.startsWith(`${workTree}/`)) return undefined;
  const folder = join(cache, "waymark", "work-trees");
  try {
    makeFolders(folder, 0o700);
    return realOrSame(folder);
  } catch (error) {
    if (errorCode(error) === undefined) throw error;
    return undefined;
  }
}
