/** How the phases of a workflow stand after it went on to one, or ended. */
import type { PhaseProgress, WorkflowProgress } from "./progress.ts";

/**
 * The workflow is in this phase now. Going on completes what was running; going back to an earlier step leaves it, and what
 * comes after that step, to be done again.
 */
export function enterPhase(
  progress: WorkflowProgress,
  name: string,
  step: number | undefined,
  at: string,
  fromOutside = false,
): WorkflowProgress {
  const known = progress.phases.find((phase) => phase.name === name);
  const number = step ?? known?.step ?? lastStep(progress) + 1;
  const moved = { ...progress, current_phase: name, current_step: number };
  if (known?.status === "running") return { ...moved, phases: renumbered(progress, name, number) };
  const isBack = number < (progress.current_step ?? 0);
  const others = progress.phases
    .filter((phase) => phase.name !== name)
    .map((phase) =>
      isBack ? takenBack(phase, number) : isRunning(phase) ? done(phase, at) : phase,
    );
  const entered: PhaseProgress = {
    checkpoint_before: null,
    checkpoint_after: null,
    ...known,
    name,
    step: number,
    status: "running",
    attempts: (known?.attempts ?? 0) + 1,
    started_at: at,
    completed_at: null,
    error: null,
    from_outside: fromOutside ? true : undefined,
  };
  return { ...moved, phases: [...others, entered].toSorted((one, two) => one.step - two.step) };
}

/** Nothing runs any more: it is done, or, with an error, failed. */
export function endPhases(
  progress: WorkflowProgress,
  error: string | null,
  at: string,
): WorkflowProgress {
  const phases = progress.phases.map((phase) => {
    if (!isRunning(phase)) return phase;
    return error === null ? done(phase, at) : { ...phase, status: "failed" as const, error };
  });
  return { ...progress, phases };
}

function isRunning({ status }: PhaseProgress): boolean {
  return status === "running";
}

function done(phase: PhaseProgress, at: string): PhaseProgress {
  return { ...phase, status: "completed", completed_at: at };
}

function takenBack(phase: PhaseProgress, step: number): PhaseProgress {
  const isOfBefore = phase.step < step && !isRunning(phase);
  return isOfBefore ? phase : { ...phase, status: "pending", completed_at: null };
}

function renumbered({ phases }: WorkflowProgress, name: string, step: number): PhaseProgress[] {
  return phases.map((phase) => (phase.name === name ? { ...phase, step } : phase));
}

function lastStep({ phases, current_step }: WorkflowProgress): number {
  return Math.max(0, current_step ?? 0, ...phases.map(({ step }) => step));
}
