/** Where in its workflow a checkpoint is: what it takes from its session, and the phase before its own. */
import type { CheckpointDocument } from "../checkpoint.ts";
import type { SessionDocument } from "../session.ts";
import type { PhaseProgress } from "./progress.ts";

/** What a request may say about it. */
export interface Place {
  readonly phase?: string;
  readonly step?: number;
  readonly taskId?: string;
  readonly issueNumber?: number;
  readonly workflowState?: string;
  readonly metrics?: Readonly<Record<string, unknown>>;
}

/** What was asked for, the rest as its session has it. `order`: the names of phases, by the settings. */
export function placeInWorkflow(
  asked: Place,
  session: SessionDocument | undefined,
  order: readonly string[],
): Place {
  const { task_id: taskId, issue_number: issueNumber, workflow } = session ?? {};
  const metrics = Object.keys(workflow?.metrics ?? {}).length === 0 ? undefined : workflow?.metrics;
  const all: { [Key in keyof Place]: Place[Key] | null | undefined } = {
    taskId,
    issueNumber,
    metrics,
    workflowState: workflow?.state_label,
    ...asked,
    ...phaseAndStep(asked, session, order),
  };
  const known = Object.entries(all).filter(([, value]) => value !== undefined && value !== null);
  return Object.fromEntries(known);
}

/** They belong together: of a phase that was named the session's step is not the number. */
function phaseAndStep(
  { phase, step }: Place,
  session: SessionDocument | undefined,
  order: readonly string[],
): { phase?: string | null | undefined; step?: number | null | undefined } {
  const { current_phase, current_step, phases = [] } = session?.workflow ?? {};
  if (phase === undefined && step === undefined) {
    return { phase: current_phase, step: current_step };
  }
  const isMeant = (each: PhaseProgress): boolean =>
    phase === undefined ? each.step === step : each.name === phase;
  const known = phases.find(isMeant);
  const place = phase === undefined ? -1 : order.indexOf(phase);
  return {
    phase: phase ?? known?.name,
    step: step ?? known?.step ?? (place < 0 ? undefined : place + 1),
  };
}

type Phases = Pick<CheckpointDocument, "phase" | "previous_phase">;

/**
 * By the checkpoint before it in the session, which may be of the same phase, else by the order of the settings.
 * Null: it is the first, or the order does not know it.
 */
export function phaseBefore(
  phase: string | null,
  previous: Phases | undefined,
  order: readonly string[],
): string | null {
  const known = [previous?.phase, previous?.previous_phase];
  const before = known.find((other) => typeof other === "string" && other !== phase);
  return before ?? (phase === null ? undefined : order[order.indexOf(phase) - 1]) ?? null;
}
