/** `waymark run --dry-run`: what would run, as lines. */
import type { PlannedPhase } from "../../../domain/workflow/run-plan.ts";
import { oneLine } from "../printable.ts";
import type { Paint } from "../style.ts";
import { counted } from "../units.ts";
import { elapsed } from "./elapsed.ts";

export function planLines(phases: readonly PlannedPhase[], paint: Paint): string[] {
  return phases.flatMap((phase) => [
    `${phase.step}. ${paint("bold", oneLine(phase.name))}${phase.modifies ? "  (modifies)" : ""}`,
    ...before(phase),
    ...phase.batches.map((names) => `   run ${oneLine(names.map(named(phase)).join(", "))}`),
    ...(phase.verify === 0 ? [] : [`   ${counted(phase.verify, "check")}`]),
    ...(phase.post_checkpoint ? [paint("dim", "   checkpoint after it")] : []),
    ...(phase.breakpoint ? ["   breakpoint"] : []),
    ...rules(phase),
  ]);

  function before({ pre_checkpoint: pre }: PlannedPhase): string[] {
    if (pre === "no") return [];
    const when = pre === "if_dirty" ? ", if there are changes" : "";
    return [paint("dim", `   checkpoint before it${when}`)];
  }
}

function named({ isolated }: PlannedPhase): (name: string) => string {
  return (name) => (isolated.includes(name) ? `${name} (work tree of its own)` : name);
}

function rules({ retries, timeout_ms: timeoutMs, on_fail: onFail }: PlannedPhase): string[] {
  const words = [
    ...(retries === 0 ? [] : [counted(retries, "retry", "retries")]),
    ...(timeoutMs === null ? [] : [`at most ${elapsed(timeoutMs)}`]),
    ...(onFail === "stop" ? [] : [`on failure: ${onFail}`]),
  ];
  return words.length === 0 ? [] : [`   ${words.join(", ")}`];
}
