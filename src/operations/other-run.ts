/** One session at a time runs in a work tree: they would write into each other's files. */
import type { Lease } from "../domain/workflow/lease.ts";
import { heldFailure, isCommandOf, otherHolder } from "./owned-session.ts";
import type { Project } from "./project.ts";

/**
 * Any session, but for this one, that another process runs in this work tree. Of one that came from another machine nothing is known; it
 * counts as long as it gives signs of life.
 */
export async function refuseOtherRun(project: Project, exceptId?: string): Promise<void> {
  for (const { document } of await project.sessions.list()) {
    if (document.implicit || document.id === exceptId) continue;
    if (document.worktree_id !== project.workTree.id) continue;
    // A command of that run is part of it.
    if (isCommandOf(project, document)) continue;
    const lease = otherHolder(project, document);
    if (lease !== undefined && givesSigns(project, lease))
      throw heldFailure(project, document.id, lease);
  }
}

function givesSigns(project: Project, { holder, renewed_at, ttl_ms }: Lease): boolean {
  if (holder === null || project.liveness.lifeOf(holder) === "alive") return true;
  return project.clock.now().getTime() - Date.parse(renewed_at ?? "") < ttl_ms;
}
