/** A checkpoint holds the work tree that it is taken in, so one of a session is taken where the session is. */
import { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";
import type { Project } from "./project.ts";

/** `without`: how to do the same without a checkpoint. */
export function refuseElsewhere(
  project: Project,
  { id, worktree_id: place }: SessionDocument,
  without: string,
): void {
  if (place === undefined || place === project.workTree.id) return;
  throw new Failure(
    "usage",
    `session ${id} is in the work tree ${place}, and a checkpoint of it can only be taken there`,
    { hint: `Run the command in that work tree, or ${without}. Nothing was changed.` },
  );
}
