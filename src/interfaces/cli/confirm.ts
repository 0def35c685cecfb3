/** Asks before a rollback, with its plan. */
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import { askToGoOn } from "./ask.ts";
import type { Output } from "./output.ts";
import { planLines } from "./rollback-report.ts";

export function confirmPlan(
  output: Output,
  plan: RollbackPlan,
  expected: boolean,
  command: "rollback" | "undo" | "redo",
): Promise<boolean> {
  const flags = plan.leaving.length > 0 ? "--yes --discard-commits" : "--yes";
  const warning =
    "the project was changed since that rollback; those changes go too (undo brings them back)";
  return askToGoOn(output, {
    lines: [
      ...planLines(plan, output),
      ...(expected ? [] : [`${output.paintTalk("yellow", "warning:")} ${warning}`]),
    ],
    what: "this changes the project",
    hint: `Add ${flags}${command === "rollback" ? ", or --dry-run to see what would happen" : ""}.`,
  });
}
