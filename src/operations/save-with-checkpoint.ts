/** Saves into a session, and where that is asked for takes a checkpoint of the project with it. */
import type { ProgressSave } from "../domain/workflow/saved-progress.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import { findStartedSession } from "./find-session.ts";
import { refuseElsewhere } from "./own-work-tree.ts";
import type { Project } from "./project.ts";
import { redactedWarning } from "./redact-request.ts";
import { saveSession, type SavedSession } from "./save-session.ts";

export interface SavedWithCheckpoint extends SavedSession {
  readonly checkpointId: string | null;
  readonly warnings: readonly string[];
}

/** `checkpoint`: why one is taken; undefined: none is. */
export async function saveWithCheckpoint(
  project: Project,
  named: string | undefined,
  save: ProgressSave,
  checkpoint: { readonly reason: string | null } | undefined,
): Promise<SavedWithCheckpoint> {
  if (checkpoint !== undefined) {
    const before = await findStartedSession(project, named);
    refuseElsewhere(project, before, "omit --checkpoint");
  }
  const result = await saveSession(project, named, save);
  const lost = redactedWarning(result.redacted);
  if (checkpoint === undefined) return { ...result, checkpointId: null, warnings: lost };
  const taken = await takeCheckpoint(project, result, checkpoint.reason);
  return { ...result, checkpointId: taken.id, warnings: [...lost, ...taken.warnings] };
}

async function takeCheckpoint(
  project: Project,
  { session, saved }: SavedSession,
  reason: string | null,
): Promise<{ readonly id: string; readonly warnings: readonly string[] }> {
  const { checkpoint, warnings } = await createCheckpoint(project, {
    sessionId: session.id,
    force: true,
    reason: reason ?? `saved ${saved.join(", ")}`,
  });
  return { id: checkpoint.id, warnings };
}
