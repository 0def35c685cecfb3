/** What a rollback would do, and what it did, as the documents `rollback_plan` and `rollback`. */
import { nextActions, rollbackGrounding, wayBack } from "../../domain/agent-contract.ts";
import { agentTitle } from "../../domain/agents/agents.ts";
import { showPath } from "../../domain/byte-path.ts";
import type { KeptSave } from "../../domain/workflow/run-event.ts";
import {
  notRestoredDocument,
  operationLeft,
  planSummary,
  type RollbackPlan,
} from "../plan-rollback.ts";
import type { Project } from "../project.ts";
import type { NothingDiffers, RollbackResult } from "../roll-back.ts";
import { recoveryDocument } from "./recovery-document.ts";

/** `leftBehind`: checkpoints that would become invalid. */
export function rollbackPlanDocument(
  plan: RollbackPlan,
  leftBehind: readonly string[],
): Record<string, unknown> {
  return {
    dry_run: true,
    rolled_back: false,
    checkpoint: aboutTarget(plan),
    plan: planSummary(plan),
    becomes_invalid: leftBehind,
  };
}

function aboutTarget({ target }: RollbackPlan) {
  const { id, trigger, phase, step, task_id, git } = target;
  return { id, trigger, phase, step, task_id, commit: git.commit };
}

export interface KeptEntry {
  readonly path: string;
  readonly reason: string;
}

/** Of a rollback, an undo or a redo, and of a rollback that found nothing to do. */
export function rollbackDocument(
  { git }: Pick<Project, "git">,
  result: RollbackResult | NothingDiffers,
): Record<string, unknown> & { readonly kept: readonly KeptEntry[] } {
  const { plan } = result;
  if (result.kind === "nothing_differs") return nothingDocument(result, git);
  return {
    rolled_back: true,
    unchanged: false,
    rollback_id: result.id,
    session_id: result.safety.session_id,
    operation: result.kind,
    restored_to: plan.target.id,
    changes_reverted: changesReverted(plan),
    kept: [...keptByPlan(plan), ...keptMeanwhile(result)],
    not_restored: notRestoredDocument(plan),
    task: result.task,
    commits_left: plan.leaving,
    plan: planSummary(plan),
    verification: result.verification,
    undo_checkpoint_id: result.safety.id,
    undo_command: wayBack(result.kind),
    next_actions: nextActions({ target: plan.target, safety: result.safety }, wayBack(result.kind)),
    ...rollbackGrounding(
      {
        target: plan.target,
        safety: result.safety,
        match: result.verification.match,
        keptCount: plan.files.keep.length,
        rollbackId: result.id,
      },
      git,
    ),
    warnings: rollbackWarnings(result),
    recovered: result.recovered === undefined ? null : recoveryDocument(result.recovered),
  };
}

function nothingDocument(nothing: NothingDiffers, git: string) {
  const { plan, contentHash, recovered } = nothing;
  const { target } = plan;
  return {
    rolled_back: false,
    unchanged: true,
    rollback_id: null,
    session_id: target.session_id,
    operation: "rollback",
    restored_to: target.id,
    changes_reverted: [],
    kept: keptByPlan(plan),
    not_restored: notRestoredDocument(plan),
    task: null,
    commits_left: [],
    plan: planSummary(plan),
    verification: {
      match: true,
      pre_state_hash: contentHash,
      post_state_hash: contentHash,
      checkpoint_hash: target.content_hash,
    },
    undo_checkpoint_id: null,
    undo_command: null,
    next_actions: [],
    confidence: 1,
    evidence_anchors: [
      `checkpoint:${target.id}`,
      `tool:bash:${git} rev-parse --verify refs/waymark/cp/${target.id}`,
    ],
    assumptions: ["nothing was changed since the comparison"],
    warnings: nothingWarnings(nothing),
    recovered: recovered === undefined ? null : recoveryDocument(recovered),
  };
}

function keptByPlan({ files }: RollbackPlan): KeptEntry[] {
  return files.keep.map((kept) => ({ path: showPath(kept.path), reason: kept.reason }));
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
      summary: step.before === null ? "restored" : "reverted to its earlier content",
    })),
    ...files.remove.map((step) => ({
      file: showPath(step.path),
      operation: "removed",
      summary: "did not exist then; kept in the undo checkpoint",
    })),
    ...files.mode.map((step) => ({
      file: showPath(step.path),
      operation: "mode_changed_back",
      summary: "reverted to its earlier permissions",
    })),
    ...plan.parts.flatMap(({ preview }) =>
      preview.changes.map(({ what, operation, summary }) => ({ file: what, operation, summary })),
    ),
  ];
}

export function rollbackWarnings(result: RollbackResult | NothingDiffers): string[] {
  if (result.kind === "nothing_differs") return nothingWarnings(result);
  const { recovered, foreign, plan, leftOver } = result;
  return [
    ...recoveredWarnings(recovered),
    ...(result.revertsLaterWork ? [laterWorkText(result.kind, "were")] : []),
    ...leftOver.map((problem) => `could not clean up, the next command will: ${problem}`),
    ...foreign.map(
      (save) =>
        `${showPath(save.path)} was changed by another process meanwhile; that content is kept at ${save.keptAt}`,
    ),
    ...result.keptParts.map(({ what, reason }) => `${what} was not restored: ${reason}`),
    ...(plan.leavesOperation ? [operationLeft(plan) ?? ""] : []),
    ...removedHooksTexts(plan, "were removed"),
    ...(recovered?.problems ?? []),
    ...(result.task?.problems ?? []),
    ...plan.target.coverage.unstable.map(
      (path) => `${path} was being written when it was captured`,
    ),
  ];
}

/** An undo or redo that takes more than the rollback with it. */
export function laterWorkText(kind: RollbackResult["kind"], verb: "are" | "were"): string {
  return `the project was changed since that ${kind === "redo" ? "undo" : "rollback"}; those changes ${verb} reverted too (\`${wayBack(kind)}\` restores them)`;
}

/** A rollback restores the project as it was: before its hooks were installed, an agent is not protected. One text for each command that reinstalls them. */
export function removedHooksTexts(
  { removedHooks }: RollbackPlan,
  verb: "will be removed" | "were removed",
): string[] {
  return [...new Set(removedHooks.map(installCommand))].flatMap((command) => {
    const [first, ...others] = removedHooks.filter((each) => installCommand(each) === command);
    if (first === undefined) return [];
    const more = others.length === 0 ? "" : ` and ${others.length} more`;
    return `Waymark's hooks for ${agentTitle(first.agent)} ${verb} (${showPath(first.path)}${more}); reinstall with: ${command}`;
  });
}

function installCommand({ agent, path }: RollbackPlan["removedHooks"][number]): string {
  const scope = showPath(path).endsWith(".local.json") ? " --scope local" : "";
  return `waymark hooks install ${agent}${scope}`;
}

/** A database that differs and cannot be restored must not look like one that is equal. */
function nothingWarnings({ plan, recovered }: NothingDiffers): string[] {
  const databases = plan.parts.filter(({ part }) => part.type === "database_savepoint");
  return [
    ...recoveredWarnings(recovered),
    ...databases.flatMap(({ preview }) =>
      preview.kept.map(({ what, reason }) => `${what} was not restored: ${reason}`),
    ),
  ];
}

function recoveredWarnings(recovered: RollbackResult["recovered"]): string[] {
  if (recovered === undefined) return [];
  const outcome = recovered.outcome === "finished" ? "finished" : "reverted";
  return [`an interrupted rollback to ${recovered.unfinished.targetId} was ${outcome} first`];
}
