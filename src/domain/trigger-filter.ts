/** Triggers as people ask for them: one, or both of a phase together. */
import { TRIGGERS, type Trigger } from "./checkpoint.ts";

const TOGETHER = "phase_transition";

export type TriggerFilter = Trigger | typeof TOGETHER;

export const TRIGGER_FILTERS: readonly TriggerFilter[] = [...TRIGGERS, TOGETHER];

export function isAskedFor(filter: TriggerFilter, trigger: Trigger): boolean {
  if (filter === TOGETHER) return trigger === "pre_phase" || trigger === "post_phase";
  return filter === trigger;
}
