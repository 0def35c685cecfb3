/** Whether there are copied files of earlier versions in the work tree. Asked by every command that changes something. */
import { join } from "node:path";
import { namesIn } from "../files/names-in.ts";
import { OWN_FOLDER } from "../files/own-folder-name.ts";
import type { Repository } from "./repository.ts";

export function hasOldCopies({ workTree }: Pick<Repository, "workTree">): boolean {
  return namesIn(join(workTree, OWN_FOLDER)).some((name) => name.startsWith("cp-"));
}
