/** Writes the document of a new checkpoint. */
import { makeCheckpointId, restoreCommand } from "../domain/checkpoint-id.ts";
import { SCHEMA_VERSION, type CheckpointDocument } from "../domain/checkpoint.ts";
import { coverageWith } from "../domain/copied-coverage.ts";
import { withChecksum } from "../domain/document-text.ts";
import type { CheckpointScope } from "../domain/scope.ts";
import { lineOf, type SessionDocument } from "../domain/session.ts";
import { workflowStateOf, type TaskSnapshot } from "../domain/task.ts";
import { phaseBefore } from "../domain/workflow/place-in-workflow.ts";
import type { Capture } from "../ports/work-tree.ts";
import type { CreateRequest } from "./create-request.ts";
import type { CapturedParts } from "./part-work.ts";
import type { Project } from "./project.ts";
import type { Latest } from "./session-place.ts";

export interface Moment {
  readonly capture: Capture;
  readonly sessionId: string;
  readonly session: SessionDocument | undefined;
  readonly latest: Latest;
  readonly sameness: string;
  readonly parts: CapturedParts;
  readonly task: TaskSnapshot | undefined;
}

/** Checkpoints are named by their hash: one that names another, also in the trash, would mean the wrong one when that is deleted. */
function unusedHash({ clock, checkpoints }: Project): string {
  const used = new Set(checkpoints.ids().map((id) => id.slice(-4)));
  let hash = clock.fourDigits();
  // Bounded: there are 65,536 of them.
  for (let tries = 0; used.has(hash) && tries < 20; tries++) hash = clock.fourDigits();
  return hash;
}

export async function describeCheckpoint(
  project: Project,
  request: CreateRequest,
  moment: Moment,
): Promise<CheckpointDocument> {
  const { capture, sessionId, latest } = moment;
  const { part, local } = capture.stored;
  const { parts } = moment.parts;
  const trigger = request.trigger ?? "manual";
  const at = project.clock.now();
  const step = request.step ?? null;
  const id = makeCheckpointId({
    step,
    label: request.phase ?? request.name ?? trigger,
    at,
    hash: unusedHash(project),
  });
  const previous = latest.document;
  return withChecksum(
    {
      schema_version: SCHEMA_VERSION,
      id,
      session_id: sessionId,
      worktree_id: project.workTree.id,
      seq: latest.highestSeq + 1,
      previous_id: previous?.id ?? null,
      epoch: lineOf(moment.session, project.workTree.id).epoch,
      name: request.name ?? null,
      task_id: request.taskId ?? null,
      issue_number: request.issueNumber ?? null,
      phase: request.phase ?? null,
      step,
      previous_phase: phaseBefore(request.phase ?? null, previous, project.config.phases.order),
      workflow_state: request.workflowState ?? stateBy(request, moment.task),
      ...(moment.task === undefined ? {} : { task: moment.task }),
      trigger,
      reason: request.reason ?? null,
      description: request.description ?? null,
      created_at: at.toISOString(),
      created_by: {
        ...project.actor,
        ...request.agentStep,
      },
      git: { ...capture.git, refs: { ...capture.git.refs, ...request.refs } },
      parts: [part, ...parts],
      ...(local === undefined ? {} : { local }),
      ...scopeOf(request),
      ...(request.type === undefined ? {} : { type: request.type }),
      ...(request.isWorkedOut === true ? { worked_out: true } : {}),
      coverage: coverageWith(capture.coverage, capture.details.excluded, moment.parts),
      metrics: request.metrics ?? {},
      files: await project.workTree.changesSince(previous, capture),
      sameness: moment.sameness,
      content_hash: capture.contentHash,
      state_digest: parts.find(({ type }) => type === "state_snapshot")?.digest ?? null,
      durability: request.durability ?? "safe",
      expires_at: timeStamp(request.expiresAt),
      restore_command: restoreCommand(id),
    },
    project.sha256,
  );
}

/** A safety checkpoint holds a task and is not about it. */
function stateBy({ taskId }: CreateRequest, task: TaskSnapshot | undefined): string | null {
  return taskId === undefined || task === undefined ? null : (workflowStateOf(task) ?? null);
}

/** However it was written: in the form that all time stamps have. */
function timeStamp(at: string | undefined): string | null {
  return at === undefined ? null : new Date(at).toISOString();
}

function scopeOf({ scope, parts = [] }: CreateRequest): { scope?: CheckpointScope } {
  if (scope === undefined) return {};
  const state = parts.find((part) => part.type === "state_snapshot");
  return { scope: { files: scope, state_keys: state?.keys ?? null } };
}
