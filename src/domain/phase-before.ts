/** The phase that came before the one that a checkpoint is of. */
import type { CheckpointDocument } from "./checkpoint.ts";

type Phases = Pick<CheckpointDocument, "phase" | "previous_phase">;

/** By the checkpoint before it in the session, which may be of the same phase. Null: there was none, or nobody knows. */
export function phaseBefore(phase: string | null, previous: Phases | undefined): string | null {
  if (previous === undefined) return null;
  const known = [previous.phase, previous.previous_phase];
  return known.find((other) => other !== null && other !== phase) ?? null;
}
