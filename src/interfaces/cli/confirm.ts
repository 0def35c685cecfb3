/** Asks before the project is changed. Without a terminal nobody can answer: then nothing is changed. */
import { Failure } from "../../domain/failure.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import type { Output } from "./output.ts";
import { askYes, canAsk } from "./prompt.ts";
import { counted } from "./units.ts";
import { planLines } from "./rollback-report.ts";

export interface PlanQuestion {
  readonly command: "rollback" | "undo" | "redo";
  readonly plan: RollbackPlan;
  /** False when the project is not what the rollback left, and undo takes more back than that. */
  readonly expected: boolean;
  /** Checkpoints that become invalid. */
  readonly leftBehind: readonly string[];
}

export async function confirmPlan(output: Output, question: PlanQuestion): Promise<boolean> {
  const { plan, command } = question;
  if (!canAsk() || output.options.json) throw cannotAsk(question);
  const look = { paint: output.paintTalk, leftBehind: question.leftBehind, most: MOST_LINES };
  for (const line of planLines(plan, look)) process.stderr.write(`${line}\n`);
  if (!question.expected) {
    output.warn(
      "the project was changed since that rollback; those changes go too (`redo` brings them back)",
    );
  }
  return askYes(QUESTIONS[command]);
}

/** Of each kind; `--dry-run` shows all. */
const MOST_LINES = 30;

const QUESTIONS = {
  rollback: "Roll back?",
  undo: "Undo the rollback?",
  redo: "Redo the rollback?",
} as const;

function cannotAsk({ plan, command }: PlanQuestion): Failure {
  const flags = plan.leaving.length > 0 ? "--yes --discard-commits" : "--yes";
  const more = command === "rollback" ? ", or --dry-run to see what would happen" : "";
  const commits =
    plan.leaving.length > 0
      ? ` (--discard-commits because ${counted(plan.leaving.length, "commit leaves", "commits leave")} a branch${
          command === "rollback" ? "; --keep-head leaves it where it is" : ""
        })`
      : "";
  return new Failure(
    "needs_confirmation",
    `${command} to ${plan.target.id} changes the project, and nobody can be asked here`,
    {
      hint: `Add ${flags}${more}${commits}. Nothing was changed.`,
      details: { flags: flags.split(" "), commits: plan.leaving },
    },
  );
}
