/** Which checkpoints a session that may go on has yet to merge, or cannot settle a conflict without. */
import { mayGoOn, type GoingOn } from "./session-retention.ts";
import type { SessionDocument } from "./session.ts";
import { neededToMerge } from "./workflow/unmerged.ts";

/** With the session of each. */
export function neededForMerge(
  given: GoingOn & { readonly sessions: Iterable<SessionDocument> },
): Map<string, string> {
  const needed = new Map<string, string>();
  for (const session of given.sessions) {
    if (session.workflow === undefined || !mayGoOn(session, given)) continue;
    for (const id of neededToMerge(session.workflow)) needed.set(id, session.id);
  }
  return needed;
}
