/** What taking back one session's work would do, and what it did, as the documents `rollback_plan` and `rollback`. */
import { showPath } from "../../domain/byte-path.ts";
import { planSummary } from "../plan-rollback.ts";
import type { Project } from "../project.ts";
import type { RollbackResult } from "../roll-back.ts";
import type { KeptFile, TakeBackPlan } from "../selective/plan-take-back.ts";
import { asRollbackPlan, takeBackSummary } from "../selective/take-back-report.ts";
import { rollbackDocument } from "./rollback-document.ts";

/** Why a file stays, for people. */
type KeptWords = (kept: KeptFile) => string;

export function takeBackPlanDocument(
  plan: TakeBackPlan,
  words: KeptWords,
  isDryRun = true,
): Record<string, unknown> {
  return {
    dry_run: isDryRun,
    rolled_back: false,
    plan: planSummary(asRollbackPlan(plan)),
    becomes_invalid: [],
    selective: takeBackSummary(plan),
    kept: keptOf(plan, words),
  };
}

export function takeBackDocument(
  project: Pick<Project, "git">,
  plan: TakeBackPlan,
  result: RollbackResult,
  words: KeptWords,
): Record<string, unknown> {
  const document = rollbackDocument(project, result);
  return {
    ...document,
    kept: [...keptOf(plan, words), ...document.kept],
    selective: takeBackSummary(plan),
    became_invalid: [],
  };
}

function keptOf({ kept }: TakeBackPlan, words: KeptWords): Record<string, unknown>[] {
  return kept.map((one) => ({
    path: showPath(one.path),
    reason: one.reason,
    summary: words(one),
  }));
}
