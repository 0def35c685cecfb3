/** Checkpoints of a workflow. One that cannot be taken is loud, and somebody decides what that means. */
import type { CheckpointDocument, Trigger } from "../../domain/checkpoint.ts";
import { Failure } from "../../domain/failure.ts";
import { asFailure } from "../../domain/system-error.ts";
import { TRIGGER_WORDS } from "../../domain/trigger-words.ts";
import type { ControlCommand } from "../../domain/workflow/control.ts";
import type { WorkflowPhase } from "../../domain/workflow/definition.ts";
import { mergedOutputs } from "../../domain/workflow/output-paths.ts";
import type { CheckpointAnswer } from "../../domain/workflow/run-event.ts";
import { createCheckpoint, type CreateResult } from "../create-checkpoint.ts";
import type { Run } from "./run.ts";
import { paused, type Stopped } from "./run-end.ts";

export interface CheckpointOrder {
  readonly trigger: Trigger;
  readonly reason: string;
  readonly phase: WorkflowPhase | undefined;
}

/** By policy, without anybody who could be asked: a locked repository may be free again soon. */
const RETRIES = 3;
const RETRY_DELAY_MS = 1000;

/** Undefined: it was left out, at somebody's own risk. */
export async function takeCheckpoint(
  run: Run,
  order: CheckpointOrder,
): Promise<CheckpointDocument | undefined> {
  for (let attempt = 1; ; attempt++) {
    const taken = await tryCheckpoint(run, order);
    if (!(taken instanceof Failure)) return taken;
    const answer = await decide(run, order, taken, attempt);
    const { phase, trigger } = order;
    run.emit({
      event: "checkpoint_failed",
      trigger,
      phase: phase?.name ?? null,
      step: phase?.step ?? null,
      error: taken.message,
      hint: taken.hint,
      answer,
    });
    if (answer === "skip") return undefined;
    if (answer !== "retry") throw pausedBy(taken, order, answer);
  }
}

/** Takes one, and says so if it fails; the workflow is about to stop and stops all the same. */
export async function takeLastCheckpoint(run: Run, order: CheckpointOrder): Promise<void> {
  const taken = await tryCheckpoint(run, order);
  if (!(taken instanceof Failure)) return;
  const { phase, trigger } = order;
  run.emit({
    event: "checkpoint_failed",
    trigger,
    phase: phase?.name ?? null,
    step: phase?.step ?? null,
    error: taken.message,
    hint: taken.hint,
    answer: "skip",
  });
}

async function tryCheckpoint(
  run: Run,
  { trigger, reason, phase }: CheckpointOrder,
): Promise<CheckpointDocument | Failure> {
  const promised = phase === undefined ? [] : mergedOutputs(phase);
  let result: CreateResult;
  try {
    result = await run.inTurn(() =>
      createCheckpoint(run.project, {
        ...run.place(phase),
        trigger,
        reason,
        ...(promised.length === 0 ? {} : { evenIfIgnored: new Set(promised) }),
        force: true,
      }),
    );
  } catch (error) {
    const failure = asFailure(error);
    if (failure instanceof Failure) return failure;
    throw error;
  }
  const { checkpoint, warnings } = result;
  run.current = checkpoint;
  run.isTouched = false;
  run.emit({
    event: "checkpoint_created",
    checkpoint_id: checkpoint.id,
    trigger,
    reason,
    phase: phase?.name ?? null,
    step: phase?.step ?? null,
  });
  for (const warning of warnings) run.warn(warning, phase);
  return checkpoint;
}

async function decide(
  run: Run,
  { trigger, phase }: CheckpointOrder,
  failure: Failure,
  attempt: number,
): Promise<CheckpointAnswer> {
  // Nothing that somebody could answer makes the session ours again.
  if (failure.code === "lease_lost") throw failure;
  const { observer, onCheckpointFailure = "fail" } = run.options;
  const asked = observer?.checkpointFailed?.bind(observer);
  if (asked !== undefined) {
    const question = {
      sessionId: run.owned.id,
      trigger,
      phase: phase?.name ?? null,
      failure,
      attempt,
    };
    const answer = await run.control.asking((signal) => asked(question, signal), answerOf);
    if (answer !== undefined) return answer;
  }
  if (onCheckpointFailure !== "retry") return onCheckpointFailure;
  if (attempt > RETRIES) return "fail";
  await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  run.control.refuseHalted();
  return "retry";
}

function answerOf({ kind }: ControlCommand): CheckpointAnswer | undefined {
  switch (kind) {
    case "retry_checkpoint":
      return "retry";
    case "skip_checkpoint":
    case "continue":
      return "skip";
    case "pause":
    case "abort":
      return "pause";
    default:
      return undefined;
  }
}

function pausedBy(
  failure: Failure,
  { trigger, phase }: CheckpointOrder,
  answer: "pause" | "fail",
): Stopped {
  return paused(`no checkpoint could be created (${TRIGGER_WORDS[trigger]}): ${failure.message}`, {
    exitCode: answer === "fail" ? 1 : 5,
    hint: failure.hint,
    phase: phase?.name ?? null,
  });
}
