/**
 * What the observer may ask of a workflow that runs: at a breakpoint, and from another terminal through the session's
 * requests. Commands that only look (`*cp-list` …) are the observer's own and are none of these.
 */
import type { WorkflowProgress } from "./progress.ts";

export type ControlCommand =
  | { readonly kind: "continue" }
  | { readonly kind: "pause" }
  | { readonly kind: "abort" }
  /** Leaves out the phase that runs; at a breakpoint, the next one. */
  | { readonly kind: "skip" }
  /** Leaves out every phase before this step that is not done. */
  | { readonly kind: "skip_to"; readonly step: number }
  /** Answers to a checkpoint that could not be taken. */
  | { readonly kind: "retry_checkpoint" }
  | { readonly kind: "skip_checkpoint" }
  /** Ends what runs, goes back, and leaves the session paused there. */
  | { readonly kind: "rollback"; readonly selector: string };

const PLAIN: Readonly<Record<string, ControlCommand>> = {
  "*continue": { kind: "continue" },
  "*pause": { kind: "pause" },
  "*abort": { kind: "abort" },
  "*skip": { kind: "skip" },
  "*retry-cp": { kind: "retry_checkpoint" },
  "*skip-cp": { kind: "skip_checkpoint" },
};

/** As people write them, for help and for the nearest name. */
export const CONTROL_NAMES = [...Object.keys(PLAIN), "*skip-to:N", "*rollback:SEL"] as const;

/** Undefined: it is none. An empty line is `*continue`: the answer of [Enter] at a breakpoint. */
export function parseControl(text: string): ControlCommand | undefined {
  const line = text.trim();
  if (line === "") return { kind: "continue" };
  const plain = Object.hasOwn(PLAIN, line) ? PLAIN[line] : undefined;
  if (plain !== undefined) return plain;
  const step = /^\*skip-to:(\d{1,6})$/.exec(line)?.[1];
  if (step !== undefined && Number(step) > 0) return { kind: "skip_to", step: Number(step) };
  const selector = /^\*rollback:(\S.*)$/.exec(line)?.[1];
  return selector === undefined ? undefined : { kind: "rollback", selector };
}

/** Why a command makes no sense where the workflow is; undefined: it does. One does not skip back: that is a rollback. */
export function controlRefusal(
  command: ControlCommand,
  { current_step: current, phases }: Pick<WorkflowProgress, "current_step" | "phases">,
): string | undefined {
  if (command.kind !== "skip_to") return undefined;
  const last = Math.max(0, ...phases.map(({ step }) => step));
  if (command.step > last) return `there is no step ${command.step}: the last one is ${last}`;
  if (command.step > (current ?? 0)) return undefined;
  return `step ${command.step} is not ahead: the workflow is at step ${current ?? 0}; \`*rollback:${command.step}\` rolls back to it`;
}

/** As `parseControl` reads it. */
export function controlText(command: ControlCommand): string {
  switch (command.kind) {
    case "skip_to":
      return `*skip-to:${command.step}`;
    case "rollback":
      return `*rollback:${command.selector}`;
    case "retry_checkpoint":
      return "*retry-cp";
    case "skip_checkpoint":
      return "*skip-cp";
    default:
      return `*${command.kind}`;
  }
}
