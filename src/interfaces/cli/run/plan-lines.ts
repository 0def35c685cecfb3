/** `waymark run --dry-run`: what would run, as lines. */
import type { PlannedPhase } from "../../../domain/workflow/run-plan.ts";
import { oneLine, printable } from "../printable.ts";
import type { Paint } from "../style.ts";
import { counted } from "../units.ts";
import { elapsed } from "./elapsed.ts";

export function planLines(phases: readonly PlannedPhase[], paint: Paint): string[] {
  return phases.flatMap((phase) => [
    `${phase.step}. ${paint("bold", oneLine(phase.name))}${phase.modifies ? "  (modifies)" : ""}`,
    ...before(phase),
    ...phase.batches.flatMap((names) => [
      `   run ${oneLine(names.map(named(phase)).join(", "))}`,
      ...names.flatMap((name) => commandsOf(phase, ({ node }) => node === name)),
    ]),
    ...(["resolver", "verify", "metrics"] as const).flatMap((kind) => {
      const lines = commandsOf(phase, (command) => command.kind === kind);
      return lines.length === 0 ? [] : [`   ${KINDS[kind]}`, ...lines];
    }),
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

const KINDS = { resolver: "resolve conflicts", verify: "check", metrics: "metrics" } as const;

function commandsOf(
  { commands }: PlannedPhase,
  isWanted: (command: PlannedPhase["commands"][number]) => boolean,
): string[] {
  return commands.filter(isWanted).flatMap(({ line, cwd }) => {
    const [first = "", ...more] = printable(line).trimEnd().split("\n");
    const place = cwd === "." ? "" : `(in ${oneLine(cwd)}) `;
    return [`     $ ${place}${first}`, ...more.map((each) => `       ${each}`)];
  });
}

function named({ isolated }: PlannedPhase): (name: string) => string {
  return (name) => (isolated.includes(name) ? `${name} (separate work tree)` : name);
}

function rules({ retries, timeout_ms: timeoutMs, on_fail: onFail }: PlannedPhase): string[] {
  const words = [
    ...(retries === 0 ? [] : [counted(retries, "retry", "retries")]),
    ...(timeoutMs === null ? [] : [`at most ${elapsed(timeoutMs)}`]),
    ...(onFail === "stop" ? [] : [`on failure: ${onFail}`]),
  ];
  return words.length === 0 ? [] : [`   ${words.join(", ")}`];
}
