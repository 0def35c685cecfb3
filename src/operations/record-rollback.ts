/** What is written down about a rollback that was done: the entry of the journal, and a note for agents. */
import { showPath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { holdsProgress, isSavedState, isWholeState, stateEntry } from "../domain/parts.ts";
import { touchedPaths } from "../domain/rollback-plan.ts";
import { redactReason } from "../domain/secrets/redact.ts";
import { nextTurn } from "../domain/rollback-turns.ts";
import { lineOf, type FinishedRollback } from "../domain/session.ts";
import { restoredWorkflow } from "../domain/workflow/held-workflow.ts";
import type { Done } from "./apply-rollback.ts";
import { partsInScope } from "./part-work.ts";
import type { RollbackPlan } from "./plan-rollback.ts";
import { whyProgressStays } from "./progress-stays.ts";
import type { Project } from "./project.ts";
import type { RollbackOrder } from "./rollback-order.ts";

export async function journalEntry(
  project: Project,
  order: RollbackOrder,
  plan: RollbackPlan,
  safety: CheckpointDocument,
  { result, task }: Pick<Done, "result" | "task">,
): Promise<FinishedRollback> {
  const session = (await project.sessions.read(order.sessionId))?.document;
  const sessions = (await project.sessions.list()).map(({ document }) => document);
  const { epoch } = lineOf(session, project.workTree.id);
  const own = {
    epoch_before: epoch,
    epoch_after: plan.isPartial ? epoch : order.id,
  };
  const epochs = order.entry ?? own;
  const epochAfter = order.kind === "undo" ? epochs.epoch_before : epochs.epoch_after;
  return {
    sessionId: order.sessionId,
    ...(order.entry === undefined ? {} : { taken: order.entry.rollback_id }),
    base: {
      base_id: order.target.id,
      seq: order.target.seq,
      epoch: order.target.epoch,
      created_at: order.target.created_at,
      is_own:
        order.target.session_id === order.sessionId &&
        order.target.worktree_id === project.workTree.id,
      left: epoch,
    },
    ...(await restoredState(project, order)),
    record: {
      id: order.id,
      kind: order.kind,
      worktree_id: project.workTree.id,
      at: project.clock.now().toISOString(),
      turn: nextTurn(sessions, project.workTree.id),
      by: project.actor.user,
      reason: order.reason,
      from_id: safety.previous_id,
      to_id: order.target.id,
      safety_id: safety.id,
      epoch_before: epoch,
      epoch_after: epochAfter,
      ...(plan.steps === null
        ? {}
        : { from_step: plan.steps.from.step, to_step: plan.steps.to.step }),
      files: touchedPaths(plan.files).length,
      ...(task === null ? {} : { task }),
      ...(order.selective === undefined ? {} : { selective: order.selective }),
    },
    entry: {
      rollback_id: order.id,
      return_id: safety.id,
      to_id: order.target.id,
      result,
      epoch_before: epochs.epoch_before,
      epoch_after: epochs.epoch_after,
      files_only: order.scope.filesOnly,
      ...(order.scope.stateOnly === true ? { state_only: true } : {}),
      ...(order.scope.databaseOnly === true ? { database_only: true } : {}),
      paths: order.scope.paths === null ? null : order.scope.paths.map(showPath),
      keep_head: order.scope.keepHead,
      ...(plan.patterns === null ? {} : { scope: plan.patterns }),
      ...(plan.beside.length === 0 ? {} : { beside: plan.beside.map(showPath) }),
    },
  };
}

async function restoredState(
  project: Project,
  { kind, target, scope, sessionId }: RollbackOrder,
): Promise<Pick<FinishedRollback, "state" | "workflow">> {
  for (const held of partsInScope(project, target, scope)) {
    const { part } = held;
    if (part.type !== "state_snapshot") continue;
    const saved = isSavedState(part)
      ? { state: { checkpointId: target.id, isWhole: isWholeState(part) } }
      : {};
    const isOwn = (await whyProgressStays(project, target, sessionId)) === undefined;
    if (!isOwn || !holdsProgress(part)) return saved;
    const bytes = await held.read(stateEntry("workflow"));
    const workflow = restoredWorkflow(JSON.parse(bytes.toString("utf8")), kind === "undo");
    return workflow === undefined ? saved : { ...saved, workflow };
  }
  return {};
}

/** For the list. A part of it is nowhere else. */
function rememberPlace(project: Project, { target }: RollbackOrder, plan: RollbackPlan): void {
  if (!plan.isPartial) project.latestHint.setHere(target.id);
}

/** For agents: what they believe about these files is no longer true. */
export function leaveNote(
  project: Project,
  order: RollbackOrder,
  plan: RollbackPlan,
  safety: CheckpointDocument,
): void {
  rememberPlace(project, order, plan);
  project.notes.leave({
    schema_version: 1,
    kind: "rollback_note",
    rollback_id: order.id,
    what: order.kind,
    at: project.clock.now().toISOString(),
    restored_to: order.target.id,
    state_before: safety.id,
    files: touchedPaths(plan.files).map(showPath),
    reason: redactReason(order.reason),
    by: project.actor.agent ?? project.actor.user,
    agent_session_id: project.actor.agent_session_id,
  });
}
