/** Before which phases a checkpoint is taken. */
import type { Config } from "../config.ts";

export interface PhaseNature {
  readonly name: string;
  /** Whoever runs the phase says so; null or undefined: the settings know. */
  readonly modifies?: boolean | null | undefined;
  /** It begins the session. Where that was is what people want back, whatever the phase changes. */
  readonly isFirst?: boolean;
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
  if (settings.strategy === "manual") return { kind: "none", why: "strategy manual" };
  if (phase.isFirst === true) return TAKE;
  switch (settings.strategy) {
    case "before_all":
      return TAKE;
    case "before_modify":
      return isModifying(settings, phase) ? TAKE : notModifying(settings);
    case "smart":
      return isModifying(settings, phase) ? { kind: "if_dirty" } : notModifying(settings);
  }
}

function notModifying({ strategy }: Settings): PreCheckpoint {
  return { kind: "none", why: `strategy ${strategy}; --modifies creates one` };
}

/** Whether one is taken after a phase that succeeded. */
export function postCheckpoint(settings: Settings, phase: PhaseNature): boolean {
  if (transitionsOff(settings, phase.name) !== undefined) return false;
  return settings.strategy !== "manual" || settings.phases.always.includes(phase.name);
}

export function isModifying(
  { phases }: Pick<Config, "phases">,
  { name, modifies }: PhaseNature,
): boolean {
  return modifies ?? phases.modify.includes(name);
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
