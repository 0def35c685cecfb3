/** What a workflow tells about a rollback that it made: that it is done, and whatever people should know about it. */
import { redact } from "../../domain/secrets/redact.ts";
import type { WorkflowProgress } from "../../domain/workflow/progress.ts";
import type { RunEventBody } from "../../domain/workflow/run-event.ts";
import { keptMeanwhile, rollbackWarnings } from "../documents/rollback-document.ts";
import type { RollbackResult } from "../roll-back.ts";

interface Occasion {
  readonly reason: string;
  /** Where the session is now, if that differs from what the events before this one said. */
  readonly progress?: WorkflowProgress | undefined;
  readonly phase: { readonly name: string; readonly step: number } | undefined;
}

export function rolledBackEvents(
  result: RollbackResult,
  { reason, phase, progress }: Occasion,
): RunEventBody[] {
  const place = { phase: phase?.name ?? null, step: phase?.step ?? null };
  return [
    {
      event: "rolled_back",
      checkpoint_id: result.plan.target.id,
      undo_checkpoint_id: result.safety.id,
      reason,
      commits_left: result.plan.leaving.map(({ branch, commit, subject }) => ({
        branch,
        commit,
        subject: redact(subject),
      })),
      kept: keptMeanwhile(result),
      ...(progress === undefined
        ? {}
        : { phases: progress.phases.map(({ name, step, status }) => ({ name, step, status })) }),
      ...place,
    },
    // Nobody asked for this rollback: whoever saved something meanwhile has no other way to hear of it.
    ...rollbackWarnings(result).map((message) => ({
      event: "warning" as const,
      message: redact(message),
      ...place,
    })),
  ];
}
