/** How a phase that begins or ends changes the progress of its workflow. */
import type { PhaseProgress, WorkflowProgress } from "./progress.ts";

export interface PhasePlace {
  readonly name: string;
  readonly step: number;
  readonly attempts: number;
}

/** Phases are in the order of their numbers. The one that changes is the current one. */
export function withPhaseProgress(
  progress: WorkflowProgress,
  place: PhasePlace,
  change: Partial<PhaseProgress>,
  at: string,
): WorkflowProgress {
  const known = progress.phases.find(({ name }) => name === place.name) ?? FRESH;
  const times =
    change.status === "running"
      ? {
          started_at: at,
          completed_at: null,
          checkpoint_after: null,
          error: null,
          from_outside: undefined,
        }
      : change.status === "completed"
        ? { completed_at: at }
        : {};
  const changed: PhaseProgress = { ...known, ...place, ...times, ...change };
  const others = progress.phases.filter(({ name }) => name !== place.name);
  return {
    ...progress,
    current_phase: place.name,
    current_step: place.step,
    phases: [...others, changed].toSorted((left, right) => left.step - right.step),
  };
}

const FRESH: PhaseProgress = {
  name: "",
  step: 0,
  attempts: 0,
  status: "pending",
  started_at: null,
  completed_at: null,
  checkpoint_before: null,
  checkpoint_after: null,
  error: null,
};
