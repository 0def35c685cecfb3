/** Finishes or takes back a rollback that was killed. Every changing command does this first. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { implicitSessionId } from "../domain/session.ts";
import type { HeldPart, PartKept } from "../ports/part-keeper.ts";
import type { RecoveryResult, RecoverySteps, Unfinished } from "../ports/restorer.ts";
import { audited } from "./audited.ts";
import { createCheckpoint } from "./create-checkpoint.ts";
import { heldParts, takeBackParts } from "./part-work.ts";
import type { Project } from "./project.ts";
import { takeBackTask } from "./rollback-task.ts";
import { isJournaled } from "./write-journal.ts";

export interface RecoverOptions {
  /** The id of a rollback whose process cannot be seen from here, and is surely gone. */
  readonly takeOver?: string;
}

export async function recover(
  project: Project,
  { takeOver }: RecoverOptions = {},
): Promise<RecoveryResult | undefined> {
  const unfinished = project.restorer.unfinished();
  if (unfinished === undefined) return undefined;
  const sides = await sidesOf(project, unfinished);
  const keptParts: PartKept[] = [];
  const notHeld: string[] = [];
  const steps: RecoverySteps = {
    beforeTakingBack: async () => {
      try {
        await createCheckpoint(project, {
          trigger: "pre_rollback",
          reason: `before reverting the interrupted rollback to ${unfinished.targetId}`,
          force: true,
          partsLike: sides.safety,
        });
      } catch (error) {
        // Git stays locked until the rollback is taken back, so no command of git could repair its objects before.
        if (!isDamagedRepository(error)) throw error;
        notHeld.push(
          `no checkpoint was created before the rollback was reverted: ${error.message}`,
        );
      }
    },
    takeBackParts: async ({ partPaths }) => {
      const { sessionId, safety, target } = sides;
      keptParts.push(...(await takeBackParts(project, sessionId, safety, target, partPaths)));
    },
    takeBackTask: async () => {
      const documents = await documentsOf(project, unfinished);
      const kept = [
        ...notHeld,
        ...keptParts.map(({ what, reason }) => `${what} was not restored: ${reason}`),
      ];
      return documents === undefined
        ? kept
        : [...kept, ...(await takeBackTask(project, documents.safety, documents.target))];
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
    () => project.interruption.holdOff(() => project.restorer.recover(steps, takeOver)),
  );
}

function isDamagedRepository(error: unknown): error is Failure {
  return error instanceof Failure && ["git_failed", "checkpoint_damaged"].includes(error.code);
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
  const documents = await documentsOf(project, unfinished);
  if (documents === undefined) {
    throw new Failure(
      "recovery_failed",
      `the rollback to ${targetId} cannot be reverted: its checkpoints cannot be read`,
      {
        hint: `\`waymark validate ${safetyId}\` shows what is wrong, \`waymark rebuild\` may repair it.`,
      },
    );
  }
  const { safety, target } = documents;
  const all = heldParts(project, target);
  return {
    sessionId: safety.session_id,
    safety: heldParts(project, safety),
    target: parts.flatMap((number) => all[number] ?? []),
  };
}

/** Undefined: it had not got that far, or one of them cannot be read. */
async function documentsOf(
  project: Project,
  { safetyId, targetId }: Unfinished,
): Promise<{ safety: CheckpointDocument; target: CheckpointDocument } | undefined> {
  if (safetyId === null) return undefined;
  const [safety, target] = await Promise.all([
    project.checkpoints.read(safetyId),
    project.checkpoints.read(targetId),
  ]);
  if (safety?.kind !== "ok" || target?.kind !== "ok") return undefined;
  return { safety: safety.document, target: target.document };
}
