/** Before which phases a checkpoint is taken. */
import type { Config } from "../config.ts";

export interface PhaseToJudge {
  readonly name: string;
  /** Null: the workflow does not say, the setting `phases.modify` decides. */
  readonly modifies: boolean | null;
}

export type StrategySettings = Pick<Config, "strategy"> & {
  readonly phases: Pick<Config["phases"], "modify" | "always" | "never">;
};

export function isModifying(
  { phases }: StrategySettings,
  { name, modifies }: PhaseToJudge,
): boolean {
  return modifies ?? phases.modify.includes(name);
}

/** `never` beats everything, `always` beats the strategy. `isDirty`: there are changes that no commit holds. */
export function takesPreCheckpoint(
  settings: StrategySettings,
  phase: PhaseToJudge,
  isDirty: boolean,
): boolean {
  const { strategy, phases } = settings;
  if (phases.never.includes(phase.name)) return false;
  if (phases.always.includes(phase.name)) return true;
  switch (strategy) {
    case "manual":
      return false;
    case "before_modify":
      return isModifying(settings, phase);
    case "before_all":
      return true;
    case "smart":
      return isDirty && isModifying(settings, phase);
  }
}

/** Whether the answer depends on the work tree, which takes time to look at. */
export function dependsOnDirt(settings: StrategySettings, phase: PhaseToJudge): boolean {
  return takesPreCheckpoint(settings, phase, true) !== takesPreCheckpoint(settings, phase, false);
}

/** After a phase that ended well. */
export function takesPostCheckpoint(
  { strategy, phases }: StrategySettings,
  { name }: PhaseToJudge,
): boolean {
  if (phases.never.includes(name)) return false;
  return phases.always.includes(name) || strategy !== "manual";
}
