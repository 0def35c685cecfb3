/** Finishes or takes back a rollback that was killed. Every changing command does this first. */
import type { RecoveryResult, RecoverySteps } from "../ports/restorer.ts";
import { audited } from "./audited.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import type { Project } from "./project.ts";
import { isJournaled } from "./write-journal.ts";

export async function recover(project: Project): Promise<RecoveryResult | undefined> {
  const unfinished = project.restorer.unfinished();
  if (unfinished === undefined) return undefined;
  const steps: RecoverySteps = {
    beforeTakingBack: async () => {
      await createCheckpoint(project, {
        trigger: "pre_rollback",
        reason: `before taking back the interrupted rollback to ${unfinished.targetId}`,
        force: true,
      });
    },
    isJournaled: (rollbackId) => isJournaled(project, rollbackId),
  };
  const { targetId } = unfinished;
  return audited(
    project,
    {
      operation: "recover",
      checkpointIds: targetId === "" ? [] : [targetId],
      outcome: (result) =>
        result && {
          checkpointIds: targetId === "" ? [] : [targetId],
          details: { rollback_id: unfinished.rollbackId, outcome: result.outcome },
        },
    },
    () => project.interruption.holdOff(() => project.restorer.recover(steps)),
  );
}
