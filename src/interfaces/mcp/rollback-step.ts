/** Rolling back, undo and redo as steps that are confirmed. */
import { Failure } from "../../domain/failure.ts";
import {
  rollbackDocument,
  rollbackPlanDocument,
} from "../../operations/documents/rollback-document.ts";
import { planFingerprint } from "../../operations/plan-fingerprint.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import {
  isAsLeft,
  planFor,
  refuseLosingCommits,
  type RollbackOrder,
  type NothingDiffers,
  type RollbackResult,
} from "../../operations/roll-back.ts";
import { oneLine } from "../cli/printable.ts";
import { planLines } from "../cli/rollback-report.ts";
import type { ShownPlan, Step } from "./confirmed-step.ts";
import { rolledBackLines } from "./rolled-back-lines.ts";
import type { Call } from "./tool.ts";
import { unfinishedLines } from "./unfinished-lines.ts";

export interface AskedStep extends Pick<
  RollbackOrder,
  | "kind"
  | "target"
  | "scope"
  | "sessionId"
  | "entry"
  | "undoes"
  | "discardCommits"
  | "evenIfExpired"
> {
  /** Checkpoints that become invalid. */
  readonly leftBehind: readonly string[];
  /** About the checkpoint. */
  readonly warnings: readonly string[];
  readonly token: string | undefined;
  /** Carries it out; `check` is called with what is about to be done, and ends it by throwing. */
  readonly act: (
    check: NonNullable<RollbackOrder["check"]>,
  ) => Promise<RollbackResult | NothingDiffers>;
}

const MOST_PLAN_LINES = 25;
const PLAIN = (_style: unknown, text: string): string => text;
const WORK_SINCE =
  "the project was changed since that rollback; those changes are reverted too (the safety checkpoint keeps them)";

export function rollbackStep({ project }: Call, asked: AskedStep): Step {
  const { kind, target, scope, sessionId, discardCommits, evenIfExpired, leftBehind } = asked;
  return {
    kind,
    subject: { target: target.id },
    options: { scope, sessionId, discardCommits, evenIfExpired: evenIfExpired === true },
    token: asked.token,
    look: async (): Promise<ShownPlan> => {
      const planned = await planFor(project, asked);
      const { plan, capture, sameness } = planned;
      const warnings = [...asked.warnings];
      try {
        if (!(await isAsLeft(project, asked, planned))) warnings.push(WORK_SINCE);
      } finally {
        capture.discard();
      }
      const look = { kind, undoes: asked.undoes, paint: PLAIN, leftBehind, most: MOST_PLAN_LINES };
      return {
        fingerprint: planFingerprint(project, plan, capture.sameness),
        document: rollbackPlanDocument(plan, leftBehind),
        lines: [
          ...planLines(plan, look),
          ...warnings.map((warning) => `warning: ${warning}`),
          ...unfinishedLines(project),
        ],
        first: firstLines(plan),
        open: openDecision(asked, plan, sameness),
      };
    },
    act: async (agreed) => {
      const result = await asked.act((plan, sameness) =>
        agreed(planFingerprint(project, plan, sameness)),
      );
      return {
        kind: "rollback",
        document: {
          ...rollbackDocument(project, result),
          became_invalid: result.kind === "nothing_differs" ? [] : leftBehind,
        },
        lines: rolledBackLines(result),
      };
    },
  };
}

const MOST_COMMITS = 5;

/** Numbers of files, and everything that happens to commits and branches. */
function firstLines({ files, parts, leaving, head, refs }: RollbackPlan): string[] {
  const beside = parts.reduce((sum, { preview }) => sum + preview.changes.length, 0);
  const more = leaving.length - MOST_COMMITS;
  const moves = head?.move ? [head.move, ...refs] : refs;
  return [
    `Files changed or restored: ${files.write.length + files.mode.length}; removed: ${files.remove.length}` +
      (beside === 0 ? "" : `; copied files, state and databases: ${beside}`),
    ...(leaving.length === 0 ? [] : [`Commits dropped from a branch: ${leaving.length}`]),
    ...leaving
      .slice(0, MOST_COMMITS)
      .map(
        ({ commit, subject, branch }) => `  ${commit.slice(0, 8)} ${oneLine(subject)} (${branch})`,
      ),
    ...(more > 0 ? [`  and ${more} more`] : []),
    ...(moves.length === 0
      ? []
      : [`Branches that move: ${moves.map(({ name }) => name).join(", ")}`]),
    ...(head === null || head.from.branch === head.to.branch
      ? []
      : [`Branch that will be checked out: ${head.to.branch ?? "none (detached HEAD)"}`]),
  ];
}

/** Commits that would leave a branch have to be named by whoever wants it. */
function openDecision(
  asked: AskedStep,
  plan: RollbackPlan,
  sameness: string,
): readonly string[] | undefined {
  if (plan.isEmpty && asked.kind === "rollback") {
    return ["Nothing was changed, and there is nothing to carry out."];
  }
  try {
    refuseLosingCommits(plan, asked, sameness);
    return undefined;
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return [
      "",
      `${error.message}.`,
      "Nothing was changed, and this plan has no confirm_token. Decide first, and call again: discard_commits: true drops them (they are kept in the " +
        `safety checkpoint)${asked.kind === "rollback" ? ", keep_head: true leaves branches where they are and restores files" : ""}.`,
    ];
  }
}
