/** What a rollback would do, and what it did, as the documents `rollback_plan` and `rollback`. */
import { nextActions, rollbackGrounding, wayBack } from "../../domain/agent-contract.ts";
import { showPath } from "../../domain/byte-path.ts";
import type { KeptSave } from "../../domain/workflow/run-event.ts";
import {
  notRestoredDocument,
  operationLeft,
  planSummary,
  type RollbackPlan,
} from "../plan-rollback.ts";
import type { RollbackResult } from "../roll-back.ts";
import { recoveryDocument } from "./recovery-document.ts";

/** `leftBehind`: checkpoints that would become invalid. */
export function rollbackPlanDocument(
  plan: RollbackPlan,
  leftBehind: readonly string[],
): Record<string, unknown> {
  return {
    dry_run: true,
    rolled_back: false,
    plan: planSummary(plan),
    becomes_invalid: leftBehind,
  };
}

export interface KeptEntry {
  readonly path: string;
  readonly reason: string;
}

export function rollbackDocument(
  result: RollbackResult,
): Record<string, unknown> & { readonly kept: readonly KeptEntry[] } {
  const { plan } = result;
  return {
    rolled_back: true,
    rollback_id: result.id,
    session_id: result.safety.session_id,
    operation: result.kind,
    restored_to: plan.target.id,
    changes_reverted: changesReverted(plan),
    kept: [
      ...plan.files.keep.map((kept) => ({ path: showPath(kept.path), reason: kept.reason })),
      ...keptMeanwhile(result),
    ],
    not_restored: notRestoredDocument(plan),
    task: result.task,
    commits_left: plan.leaving,
    plan: planSummary(plan),
    verification: result.verification,
    undo_checkpoint_id: result.safety.id,
    undo_command: wayBack(result.kind),
    next_actions: nextActions({ target: plan.target, safety: result.safety }, wayBack(result.kind)),
    ...rollbackGrounding({
      target: plan.target,
      safety: result.safety,
      match: result.verification.match,
      keptCount: plan.files.keep.length,
      rollbackId: result.id,
    }),
    warnings: rollbackWarnings(result),
    recovered: result.recovered === undefined ? null : recoveryDocument(result.recovered),
  };
}

/** What was to come back and did not, because it is somebody else's by now. */
export function keptMeanwhile({
  foreign,
  keptParts,
}: Pick<RollbackResult, "foreign" | "keptParts">): KeptSave[] {
  return [
    ...foreign.map(({ path, keptAt }) => ({
      path: showPath(path),
      reason: "changed_meanwhile" as const,
      kept_at: keptAt,
    })),
    ...keptParts.map(({ what, reason, isElsewhere }) => ({
      path: what,
      reason: isElsewhere === true ? ("elsewhere" as const) : ("changed_meanwhile" as const),
      summary: reason,
    })),
  ];
}

function changesReverted(plan: RollbackPlan): Record<string, unknown>[] {
  const { files } = plan;
  return [
    ...files.write.map((step) => ({
      file: showPath(step.path),
      operation: step.before === null ? "restored" : "changed_back",
      summary: step.before === null ? "was gone, is back" : "has its earlier content again",
    })),
    ...files.remove.map((step) => ({
      file: showPath(step.path),
      operation: "removed",
      summary: `was not there then; held by the undo checkpoint`,
    })),
    ...files.mode.map((step) => ({
      file: showPath(step.path),
      operation: "mode_changed_back",
      summary: "has its earlier permissions again",
    })),
    ...plan.parts.flatMap(({ preview }) =>
      preview.changes.map(({ what, operation, summary }) => ({ file: what, operation, summary })),
    ),
  ];
}

export function rollbackWarnings(result: RollbackResult): string[] {
  const { recovered, foreign, plan, leftOver } = result;
  return [
    ...(recovered === undefined
      ? []
      : [
          `an interrupted rollback to ${recovered.unfinished.targetId} was ${recovered.outcome} first`,
        ]),
    ...leftOver.map((problem) => `could not tidy up, the next command will: ${problem}`),
    ...foreign.map(
      (save) =>
        `${showPath(save.path)} was saved by somebody else meanwhile and kept at ${save.keptAt}`,
    ),
    ...result.keptParts.map(({ what, reason }) => `${what} was not restored: ${reason}`),
    ...(plan.leavesOperation ? [operationLeft(plan) ?? ""] : []),
    ...(recovered?.problems ?? []),
    ...(result.task?.problems ?? []),
    ...plan.target.coverage.unstable.map(
      (path) => `${path} was being written when it was captured`,
    ),
  ];
}
