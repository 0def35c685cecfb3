/** Finishes or takes back a rollback that was killed. Every changing command does this first. */
import { Failure } from "../domain/failure.ts";
import { implicitSessionId } from "../domain/session.ts";
import type { HeldPart } from "../ports/part-keeper.ts";
import type { RecoveryResult, RecoverySteps, Unfinished } from "../ports/restorer.ts";
import { audited } from "./audited.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import { heldParts, takeBackParts } from "./part-work.ts";
import type { Project } from "./project.ts";
import { isJournaled } from "./write-journal.ts";

export async function recover(project: Project): Promise<RecoveryResult | undefined> {
  const unfinished = project.restorer.unfinished();
  if (unfinished === undefined) return undefined;
  const sides = await sidesOf(project, unfinished);
  const steps: RecoverySteps = {
    beforeTakingBack: async () => {
      await createCheckpoint(project, {
        trigger: "pre_rollback",
        reason: `before taking back the interrupted rollback to ${unfinished.targetId}`,
        force: true,
        partsLike: sides.safety,
      });
    },
    takeBackParts: async ({ partPaths }) => {
      const { sessionId, safety, target } = sides;
      await takeBackParts(project, sessionId, safety, target, partPaths);
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

interface Sides {
  readonly sessionId: string;
  readonly safety: readonly HeldPart[];
  readonly target: readonly HeldPart[];
}

/** What the rollback was to exchange beside the work tree, on both sides. */
async function sidesOf(project: Project, unfinished: Unfinished): Promise<Sides> {
  const { safetyId, targetId, parts } = unfinished;
  const nothing = { sessionId: implicitSessionId(project.workTree.id), safety: [], target: [] };
  if (parts.length === 0 || safetyId === null) return nothing;
  const [safety, target] = await Promise.all([
    project.checkpoints.read(safetyId),
    project.checkpoints.read(targetId),
  ]);
  if (safety?.kind !== "ok" || target?.kind !== "ok") {
    throw new Failure(
      "recovery_failed",
      `the rollback to ${targetId} cannot be taken back: its checkpoints cannot be read`,
      {
        hint: `\`waymark validate ${safetyId}\` says what is wrong, \`waymark rebuild\` may repair it.`,
      },
    );
  }
  const all = heldParts(project, target.document);
  return {
    sessionId: safety.document.session_id,
    safety: heldParts(project, safety.document),
    target: parts.flatMap((number) => all[number] ?? []),
  };
}
