/** What became of a session, as the document `session_change`. */
import type { SessionDocument } from "../../domain/session.ts";
import type { Project } from "../project.ts";
import { currentSummary } from "../session-summary.ts";

export interface SessionChange {
  readonly action: "start" | "save" | "pause" | "complete" | "fail" | "abandon" | "delete";
  readonly session: SessionDocument;
  readonly changed: boolean;
  /** Whoever runs it was asked. */
  readonly requested?: boolean;
  readonly saved?: readonly string[];
  readonly redacted?: readonly string[];
  readonly checkpointId?: string | null;
  /** Checkpoints that the retention rules took, or that were deleted with it. */
  readonly removed?: readonly string[];
  readonly warnings?: readonly string[];
}

export async function sessionChangeDocument(
  project: Project,
  change: SessionChange,
): Promise<Record<string, unknown>> {
  return {
    action: change.action,
    changed: change.changed,
    requested: change.requested ?? false,
    session: await currentSummary(project, change.session),
    saved: change.saved ?? [],
    redacted: change.redacted ?? [],
    checkpoint_id: change.checkpointId ?? null,
    removed_checkpoints: change.removed ?? [],
    warnings: change.warnings ?? [],
  };
}
