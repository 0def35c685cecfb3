/** The checkpoints that sessions which may go on have their saved state in, with the session of each. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { neededForState } from "../domain/needed-for-state.ts";
import { sessionsInUse } from "./clean-up-sessions.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

export function holdingState(
  project: Project,
  view: SessionView,
  documents: readonly CheckpointDocument[],
): Map<string, string> {
  return neededForState({
    sessions: view.sessions.values(),
    documents,
    inUse: sessionsInUse(project, view),
    settings: project.config.retention,
    now: project.clock.now(),
  });
}
