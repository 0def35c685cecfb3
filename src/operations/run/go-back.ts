/** Rollbacks of a workflow that runs, as its owner: for another attempt, or because the workflow or a person says so. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { asFailure } from "../../domain/system-error.ts";
import type { WorkflowPhase } from "../../domain/workflow/definition.ts";
import type { WorkflowProgress } from "../../domain/workflow/progress.ts";
import { findTarget } from "../find-checkpoint.ts";
import { rollBack } from "../roll-back.ts";
import { rollbackId } from "../rollback-id.ts";
import { viewSessions } from "../session-view.ts";
import { rolledBackEvents } from "./rolled-back-events.ts";
import type { Run } from "./run.ts";

export interface BackOrder {
  readonly target: CheckpointDocument;
  readonly reason: string;
  readonly phase: WorkflowPhase | undefined;
}

/** Commits of the attempt leave their branch: the safety checkpoint holds them. */
export async function goBack(run: Run, { target, reason, phase }: BackOrder): Promise<void> {
  const { project } = run;
  // What still runs would go on writing into what is rolled back.
  await project.commands.endLeftOvers();
  const result = await run.inTurn(() =>
    rollBack(project, {
      kind: "rollback",
      target,
      sessionId: run.owned.id,
      scope: { filesOnly: false, keepHead: false, paths: null },
      discardCommits: true,
      reason,
      confirmed: true,
      confirm: () => Promise.resolve(true),
      id: rollbackId(project),
    }),
  );
  run.current = target;
  // What others saved meanwhile stays, and the target does not hold it.
  run.isTouched = !result.verification.match;
  // Another attempt of a phase says by itself where it is.
  const progress = phase === undefined ? (await run.owned.read()).workflow : undefined;
  for (const event of rolledBackEvents(result, { reason, phase, progress })) run.emit(event);
}

/** After these nothing goes on, whatever the workflow says. */
const ENDS_ALL: readonly FailureCode[] = ["lease_lost", "interrupted"];

/** The same where what failed is told by itself: what was in the way is an answer, so that it does not take its place. */
export async function goBackIfPossible(run: Run, order: BackOrder): Promise<Failure | undefined> {
  try {
    await goBack(run, order);
    return undefined;
  } catch (error) {
    const failure = asFailure(error);
    if (!(failure instanceof Failure) || ENDS_ALL.includes(failure.code)) throw error;
    return failure;
  }
}

/** The rollback left the session paused, with the progress of the checkpoint: it goes on with this. */
export async function goOnWith(
  run: Run,
  message: string,
  progress: (restored: WorkflowProgress) => WorkflowProgress,
): Promise<void> {
  await run.update(message, progress, { status: "active" });
}

/** Undefined: it is gone. */
export async function checkpointById(
  run: Run,
  id: string | null | undefined,
): Promise<CheckpointDocument | undefined> {
  if (id === null || id === undefined) return undefined;
  if (run.current?.id === id) return run.current;
  const stored = await run.project.checkpoints.read(id);
  return stored?.kind === "ok" ? stored.document : undefined;
}

export async function selectedCheckpoint(run: Run, selector: string): Promise<CheckpointDocument> {
  const { project, owned } = run;
  const view = await viewSessions(project, owned.id);
  const found = await findTarget(project, view, selector);
  if (found.session_id === owned.id) return found;
  throw new Failure(
    "checkpoint_not_found",
    `${found.id} is not a checkpoint of session ${owned.id}`,
    {
      hint: `\`waymark list --session ${owned.id}\` lists them.`,
    },
  );
}
