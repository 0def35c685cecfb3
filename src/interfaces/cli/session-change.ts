/** What became of a session, for people and as the document `session_change`. */
import type { SessionDocument } from "../../domain/session.ts";
import type { Project } from "../../operations/project.ts";
import { currentSummary } from "../../operations/session-summary.ts";
import type { Output } from "./output.ts";

export interface SessionChange {
  readonly action: "start" | "save" | "pause" | "complete" | "fail" | "abandon";
  readonly session: SessionDocument;
  readonly changed: boolean;
  /** Whoever runs it was asked. */
  readonly requested?: boolean;
  readonly saved?: readonly string[];
  readonly redacted?: readonly string[];
  readonly checkpointId?: string | null;
  /** Checkpoints that the retention rules took. */
  readonly removed?: readonly string[];
  readonly warnings?: readonly string[];
  /** For people. */
  readonly line: string;
}

export async function reportChange(
  project: Project,
  output: Output,
  change: SessionChange,
): Promise<void> {
  const warnings = change.warnings ?? [];
  for (const warning of warnings) output.warn(warning);
  const session = output.options.json ? await currentSummary(project, change.session) : undefined;
  output.result(
    "session_change",
    {
      action: change.action,
      changed: change.changed,
      requested: change.requested ?? false,
      session,
      saved: change.saved ?? [],
      redacted: change.redacted ?? [],
      checkpoint_id: change.checkpointId ?? null,
      removed_checkpoints: change.removed ?? [],
      warnings,
    },
    [change.line],
  );
}
