/** Finishes or takes back a rollback that was killed. Every changing command does this first. */
import type { RecoveryResult, RecoverySteps } from "../ports/restorer.ts";
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
  return project.interruption.holdOff(() => project.restorer.recover(steps));
}
