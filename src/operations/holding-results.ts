/** The checkpoints that sessions which may go on have yet to merge into the project, with the session of each. */
import { neededForMerge } from "../domain/needed-for-merge.ts";
import { sessionsInUse } from "./clean-up-sessions.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

/** Only those in the list: whoever deleted one has said so with `--force`. */
export function holdingResults(project: Project, view: SessionView): Map<string, string> {
  const needed = neededForMerge({
    sessions: view.sessions.values(),
    inUse: sessionsInUse(project, view),
    settings: project.config.retention,
    now: project.clock.now(),
  });
  const listed = new Set(view.documents.map(({ id }) => id));
  return new Map([...needed].filter(([id]) => listed.has(id)));
}
