/** The checkpoints that must stay while somebody runs their session: a retry, a failure and a rollback of a phase go back to them. */
import { latestOf } from "../domain/lineage.ts";
import { referredCheckpoints } from "../domain/workflow/session-references.ts";
import { liveHolder } from "./owned-session.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

export function neededByRuns(project: Project, view: SessionView): ReadonlySet<string> {
  const needed = new Set<string>();
  for (const session of view.sessions.values()) {
    if (liveHolder(project, session) === undefined) continue;
    for (const id of referredCheckpoints(session)) needed.add(id);
    // The one that was taken just now is not written down in the session yet.
    const own = view.documents.filter(({ session_id }) => session_id === session.id);
    const latest = latestOf(own, view.standing);
    if (latest !== undefined) needed.add(latest.id);
  }
  return needed;
}
