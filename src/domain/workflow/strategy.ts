/** Before which phases a checkpoint is taken. */
import type { Config } from "../config.ts";

export interface PhaseNature {
  readonly name: string;
  /** Whoever runs the phase says so; undefined: the settings know. */
  readonly modifies?: boolean | undefined;
}

type Settings = Pick<Config, "strategy" | "phases" | "triggers">;

export type PreCheckpoint =
  | { readonly kind: "take" }
  /** Only when something differs from HEAD. */
  | { readonly kind: "if_dirty" }
  | { readonly kind: "none"; readonly why: string };

const TAKE: PreCheckpoint = { kind: "take" };

/** `never` beats everything, `always` beats the strategy. */
export function preCheckpoint(settings: Settings, phase: PhaseNature): PreCheckpoint {
  const off = transitionsOff(settings, phase.name);
  if (off !== undefined) return { kind: "none", why: off };
  if (settings.phases.always.includes(phase.name)) return TAKE;
  switch (settings.strategy) {
    case "manual":
      return { kind: "none", why: "the strategy is manual" };
    case "before_all":
      return TAKE;
    case "before_modify":
      return modifies(settings, phase) ? TAKE : { kind: "none", why: "it modifies nothing" };
    case "smart":
      return modifies(settings, phase)
        ? { kind: "if_dirty" }
        : { kind: "none", why: "it modifies nothing" };
  }
}

/** Whether one is taken after a phase that succeeded. */
export function postCheckpoint(settings: Settings, phase: PhaseNature): boolean {
  if (transitionsOff(settings, phase.name) !== undefined) return false;
  return settings.strategy !== "manual" || settings.phases.always.includes(phase.name);
}

function modifies({ phases }: Settings, { name, modifies: said }: PhaseNature): boolean {
  return said ?? phases.modify.includes(name);
}

function transitionsOff({ phases, triggers }: Settings, name: string): string | undefined {
  if (phases.never.includes(name)) return "phases.never names it";
  return triggers.phaseTransition ? undefined : "triggers.phase_transition is off";
}

/** The number of a phase: as it was in this session, else its place among the known ones, else the next that is free. */
export function stepOf(
  order: readonly string[],
  known: readonly { readonly name: string; readonly step: number }[],
  name: string,
): number {
  const before = known.find((phase) => phase.name === name);
  if (before !== undefined) return before.step;
  const place = order.indexOf(name) + 1;
  const isFree = known.every(({ step }) => step !== place);
  if (place > 0 && isFree) return place;
  return known.reduce((highest, { step }) => Math.max(highest, step), 0) + 1;
}

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
