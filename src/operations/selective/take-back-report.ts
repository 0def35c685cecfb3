/** What is said about a plan to take back one session's work. */
import { showPath } from "../../domain/byte-path.ts";
import { isEmptyPlan, touchedPaths } from "../../domain/rollback-plan.ts";
import type { RollbackPlan } from "../plan-rollback.ts";
import type { TakeBackPlan } from "./plan-take-back.ts";

export function takeBackSummary(plan: TakeBackPlan): Record<string, unknown> {
  const { worker, filePlan } = plan;
  return {
    session: worker.id,
    agent: worker.agent,
    by: plan.by,
    since: plan.since.id,
    steps: plan.steps,
    taken_back: touchedPaths(filePlan).map(showPath),
    merged: plan.merged.map(showPath),
    commits_kept: plan.commits,
  };
}

/** As a plan like all others: only files change. */
export function asRollbackPlan({ since, filePlan, files }: TakeBackPlan): RollbackPlan {
  return {
    target: since,
    scope: { filesOnly: true, keepHead: true, paths: [...files.keys()] },
    patterns: null,
    isPartial: true,
    files: filePlan,
    head: null,
    refs: [],
    restoresIndex: false,
    restoresStaged: false,
    restoresOperation: false,
    leavesOperation: false,
    operationNow: "none",
    leaving: [],
    leavesNewWork: false,
    parts: [],
    task: undefined,
    beside: [],
    overBorder: false,
    notRestored: [],
    steps: null,
    removedHooks: [],
    isEmpty: isEmptyPlan(filePlan),
  };
}
