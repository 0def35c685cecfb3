/** What a rollback means for the steps of a session: where it was, where it will be, and which steps are discarded. */
import type { CheckpointDocument } from "../checkpoint.ts";
import { isOver, type WorkflowProgress } from "./progress.ts";

export interface StepPlace {
  readonly step: number | null;
  readonly phase: string | null;
}

export interface StepChange {
  readonly from: StepPlace;
  readonly to: StepPlace;
  /** The step that the session continues from; null: none is left. */
  readonly next: number | null;
  /** The first and the last of the steps of which nothing is left; null: none. */
  readonly discards: readonly [first: number, last: number] | null;
}

/** `isWhole`: its phases are all that the workflow has. Null: neither side has a step. */
export function stepChange(
  now: WorkflowProgress,
  then: WorkflowProgress,
  target: Pick<CheckpointDocument, "trigger" | "step" | "phase">,
  isWhole: boolean,
): StepChange | null {
  const from = { step: now.current_step, phase: now.current_phase };
  const to = {
    step: target.step ?? then.current_step,
    phase: target.phase ?? then.current_phase,
  };
  if (from.step === null && to.step === null) return null;
  const isBefore = target.trigger === "pre_phase";
  const first = (to.step ?? 0) + (isBefore ? 0 : 1);
  return {
    from,
    to,
    next: isBefore && to.step !== null ? to.step : nextStep(now, then, first, isWhole),
    discards: from.step !== null && first <= from.step ? [first, from.step] : null,
  };
}

/** One that was under way is continued. Null: none is left, or the phases that are known end before it. */
function nextStep(
  now: WorkflowProgress,
  { phases }: WorkflowProgress,
  following: number,
  isWhole: boolean,
): number | null {
  const open = phases.find(({ status }) => !isOver(status));
  if (open !== undefined) return open.step;
  if (isWhole && phases.length > 0) return null;
  const steps = [...now.phases, ...phases].map(({ step }) => step);
  return steps.length === 0 || steps.some((step) => step >= following) ? following : null;
}
