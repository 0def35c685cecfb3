/** Shows the plan of a rollback, and asks before the project is changed. */
import { Failure } from "../../domain/failure.ts";
import {
  laterWorkText,
  rollbackPlanDocument,
} from "../../operations/documents/rollback-document.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import type { Project } from "../../operations/project.ts";
import {
  isAsLeft,
  planFor,
  refuseLosingCommits,
  type RollbackOrder,
} from "../../operations/roll-back.ts";
import { confirm } from "./ask.ts";
import type { Output } from "./output.ts";
import { counted } from "./units.ts";
import { planLines, type PlanLook } from "./rollback-report.ts";

export interface PlanQuestion extends Pick<PlanLook, "undoes" | "leftBehind"> {
  readonly command: RollbackOrder["kind"];
  readonly plan: RollbackPlan;
  /** False when the project is not what the rollback left, and undo reverts more than that. */
  readonly expected: boolean;
}

export function confirmPlan(output: Output, question: PlanQuestion): Promise<boolean> {
  const { plan, command: kind, leftBehind, undoes } = question;
  const look = { kind, undoes, paint: output.paintTalk, leftBehind, most: MAX_LINES };
  const changed = `${output.paintTalk("yellow", "warning:")} ${laterWorkText(kind, "are")}`;
  return confirm(output, {
    lines: [...planLines(plan, look), ...(question.expected ? [] : [changed])],
    question: QUESTIONS[kind],
    ...wayWithoutQuestion(question),
  });
}

/** Of each kind; `--dry-run` shows all. */
const MAX_LINES = 10;

const QUESTIONS = {
  rollback: "Roll back?",
  undo: "Undo the rollback?",
  redo: "Redo the rollback?",
} as const;

function wayWithoutQuestion({ plan, command, expected }: PlanQuestion) {
  const { leaving } = plan;
  // To undo or redo with nothing done since needs no more than a yes.
  const must = leaving.length > 0 && (command === "rollback" || !expected);
  const flags = ["--yes", ...(must ? ["--discard-commits"] : [])];
  const keepHead = command === "rollback" ? "; --keep-head leaves it where it is" : "";
  const commits = must
    ? ` (--discard-commits because ${counted(leaving.length, "commit")} will be dropped from the branch${keepHead})`
    : "";
  return {
    hint: `Add ${flags.join(" ")}, or --dry-run to see what would happen${commits}. Nothing was changed.`,
    details: { flags, commits: leaving },
  };
}

type Preview = Pick<
  RollbackOrder,
  "kind" | "target" | "scope" | "sessionId" | "entry" | "undoes" | "discardCommits"
>;

/** `--dry-run`. */
export async function showPlan(
  project: Project,
  output: Output,
  order: Preview,
  leftBehind: readonly string[],
): Promise<void> {
  const planned = await planFor(project, order);
  const { plan, sameness } = planned;
  try {
    if (!(await isAsLeft(project, order, planned))) output.warn(laterWorkText(order.kind, "are"));
  } finally {
    planned.capture.discard();
  }
  const needs = mustDiscard(plan, order, sameness) ? ["--discard-commits"] : [];
  const { kind, undoes } = order;
  const { paint } = output;
  const look = { kind, undoes, paint, leftBehind, most: Number.POSITIVE_INFINITY };
  output.result("rollback_plan", { ...rollbackPlanDocument(plan, leftBehind), needs }, [
    ...planLines(plan, look),
    ...needs.map((flag) => {
      const orKeep = kind === "rollback" ? ", or --keep-head to leave the branch where it is" : "";
      return paint(
        "yellow",
        `--yes alone will be refused because of the commits: add ${flag}${orKeep}`,
      );
    }),
  ]);
}

function mustDiscard(plan: RollbackPlan, order: Preview, sameness: string): boolean {
  try {
    refuseLosingCommits(plan, order, sameness);
    return false;
  } catch (error) {
    if (error instanceof Failure) return true;
    throw error;
  }
}
