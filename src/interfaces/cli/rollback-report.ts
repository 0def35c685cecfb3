/** What a rollback will do, and what it did. */
import { showPath } from "../../domain/byte-path.ts";
import { planSummary, type RollbackPlan } from "../../operations/plan-rollback.ts";
import type { RollbackResult } from "../../operations/roll-back.ts";
import type { Output } from "./output.ts";
import { recoveryDocument } from "./recovery-document.ts";
import { counted } from "./units.ts";

export function planLines(plan: RollbackPlan, output: Output): string[] {
  const { files } = plan;
  if (plan.isEmpty) return [`nothing differs from ${plan.target.id}`];
  const lines = [`Roll back to ${plan.target.id}:`];
  for (const step of files.write) {
    lines.push(
      step.before === null
        ? output.paint("green", `  + ${showPath(step.path)}`)
        : output.paint("yellow", `  ~ ${showPath(step.path)}`),
    );
  }
  for (const step of files.remove) lines.push(output.paint("red", `  - ${showPath(step.path)}`));
  for (const step of files.mode) lines.push(`  ~ ${showPath(step.path)} (mode)`);
  for (const folder of files.makeFolders.keys()) lines.push(`  + ${showPath(folder)}/`);
  for (const kept of files.keep) {
    lines.push(output.paint("dim", `  = ${showPath(kept.path)} stays (${kept.reason})`));
  }
  if (plan.restoresIndex) lines.push("  the index comes back as it was");
  if (plan.restoresOperation && plan.target.git.operation !== "none") {
    lines.push(`  the ${plan.target.git.operation} in progress comes back`);
  }
  lines.push(...headLines(plan));
  return lines;
}

function headLines(plan: RollbackPlan): string[] {
  const { head } = plan;
  if (head === null) return [];
  const name = (branch: string | null): string =>
    branch?.replace("refs/heads/", "") ?? "detached HEAD";
  const lines: string[] = [];
  if (head.from.branch !== head.to.branch) {
    lines.push(`  switch from ${name(head.from.branch)} to ${name(head.to.branch)}`);
  }
  if (head.move !== null) {
    const to = head.move.to?.slice(0, 8) ?? "no commit";
    lines.push(
      `  ${name(head.move.name)} moves from ${head.move.from?.slice(0, 8) ?? "nothing"} to ${to}`,
    );
  }
  for (const commit of plan.leaving) {
    lines.push(`    leaves ${name(commit.branch)}: ${commit.commit.slice(0, 8)} ${commit.subject}`);
  }
  return lines;
}

export function rollbackDocument(result: RollbackResult): Record<string, unknown> {
  const { plan, foreign } = result;
  return {
    rolled_back: true,
    rollback_id: result.id,
    operation: result.kind,
    restored_to: plan.target.id,
    changes_reverted: changesReverted(plan),
    kept: [
      ...plan.files.keep.map((kept) => ({ path: showPath(kept.path), reason: kept.reason })),
      ...foreign.map((save) => ({
        path: showPath(save.path),
        reason: "changed_meanwhile",
        kept_at: save.keptAt,
      })),
    ],
    commits_left: plan.leaving,
    plan: planSummary(plan),
    verification: result.verification,
    undo_checkpoint_id: result.safety.id,
    undo_command: "waymark undo",
    warnings: warningsOf(result),
    recovered: result.recovered === undefined ? null : recoveryDocument(result.recovered),
  };
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
  ];
}

function warningsOf(result: RollbackResult): string[] {
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
    ...plan.target.coverage.unstable.map(
      (path) => `${path} was being written when it was captured`,
    ),
  ];
}

export function rollbackLines(result: RollbackResult, output: Output): string[] {
  const { plan } = result;
  const { write, remove, mode, keep } = plan.files;
  for (const warning of warningsOf(result)) output.warn(warning);
  const lines = [
    `${output.paint("green", result.kind === "rollback" ? "rolled back to" : `${result.kind}: now at`)} ${plan.target.id}`,
    `  ${counted(write.length, "file")} restored, ${remove.length} removed, ${counted(mode.length, "mode")} changed, ${keep.length} kept`,
  ];
  if (plan.leaving.length > 0) {
    lines.push(
      `  ${counted(plan.leaving.length, "commit")} left the branch, still in ${result.safety.id}:`,
    );
    for (const commit of plan.leaving.slice(0, 10)) {
      lines.push(`    ${commit.commit.slice(0, 8)} ${commit.subject}`);
    }
  }
  lines.push(`  take it back with: waymark ${result.kind === "undo" ? "redo" : "undo"}`);
  return lines;
}
