/** Which paths of a work tree belong to Waymark and are no part of the project. */
import { basename, join } from "node:path";
import { asBytePath, type BytePath } from "../../domain/byte-path.ts";
import { isCheckpointId } from "../../domain/checkpoint-id.ts";
import { namesIn } from "../files/names-in.ts";
import { OTHER_OWN_FOLDER, OWN_FOLDER, TRANSIENT_FOLDER } from "../files/own-folder-name.ts";
import { isPrivateRepository } from "./plain/private-place.ts";
import type { Repository } from "./repository.ts";

type Place = Pick<Repository, "isPlain" | "ownFolder" | "workTree">;

/** In a git project `.checkpoints/` is the user's, but for what a plain folder or an earlier version left in it. */
export function isOwnPath(place: Place, path: BytePath): boolean {
  // Every untracked path is asked about.
  if (!path.startsWith(".")) return false;
  if (path === TRANSIENT_FOLDER) return true;
  if (place.isPlain) return path === basename(place.ownFolder);
  const [folder, name = "", below] = path.split("/");
  if (below !== undefined || (folder !== OWN_FOLDER && folder !== OTHER_OWN_FOLDER)) return false;
  return isPrivateRepository(name) || (name.startsWith("cp-") && isCheckpointId(name));
}

/** Whether the folder, or something directly in it, is Waymark's. */
export function holdsOwnPaths(place: Place, folder: BytePath): boolean {
  if (isOwnPath(place, folder)) return true;
  if (folder !== OWN_FOLDER && folder !== OTHER_OWN_FOLDER) return false;
  const names = namesIn(join(place.workTree, folder));
  return names.some((name) => isOwnPath(place, asBytePath(`${folder}/${name}`)));
}
