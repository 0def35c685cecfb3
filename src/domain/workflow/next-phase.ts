/** Which phase comes next in a session whose phases are run one by one, from outside. */
import type { PhaseProgress, WorkflowProgress } from "./progress.ts";

export interface NextPhase {
  readonly phase: string;
  /** In words: it was cut off, it failed … */
  readonly why: string;
  /** The command line that ran it before; null: nobody wrote it down. */
  readonly command: string | null;
  /** The state before its last attempt, where that left something half done. */
  readonly checkpoint_before: string | null;
}

/** What did not come to its end, else what follows by the order of the settings; null: nobody knows. */
export function nextPhase(
  { phases, current_phase }: WorkflowProgress,
  order: readonly string[],
): NextPhase | null {
  const broken = phases.find((phase) => brokenText(phase) !== undefined);
  if (broken !== undefined) {
    const { name, command, checkpoint_before } = broken;
    return {
      phase: name,
      why: brokenText(broken) ?? "",
      command: typeof command === "string" ? command : null,
      checkpoint_before,
    };
  }
  // A rollback went back to before it.
  if (current_phase !== null && phases.every(({ name }) => name !== current_phase)) {
    const why = "it has not started";
    return { phase: current_phase, why, command: null, checkpoint_before: null };
  }
  const at = current_phase === null ? -1 : order.indexOf(current_phase);
  const isKnown = current_phase === null || at >= 0;
  const following = isKnown ? order[at + 1] : undefined;
  if (following === undefined) return null;
  const why = current_phase === null ? "it is the first one" : `it comes after ${current_phase}`;
  return { phase: following, why, command: null, checkpoint_before: null };
}

function brokenText({
  status,
  error,
  from_outside: fromOutside,
}: PhaseProgress): string | undefined {
  if (status === "running") return fromOutside ? "it is not completed" : "it was interrupted";
  if (status === "failed") return error === null ? "it failed" : `it failed: ${error}`;
  return status === "pending" && error !== null ? error : undefined;
}
