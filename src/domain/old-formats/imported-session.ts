/** The session document that is made from an old session and the checkpoints that its records became. */
import { canonicalJson } from "../canonical-json.ts";
import { SCHEMA_VERSION } from "../checkpoint.ts";
import { isRestorableRef } from "../hostile-path.ts";
import {
  EMPTY_LINE,
  type DamageRecord,
  type RollbackRecord,
  type SessionDocument,
} from "../session.ts";
import { isEnded } from "../workflow/session-status.ts";
import type { HeldWorkflow } from "../workflow/held-workflow.ts";
import { NO_PROGRESS, type WorkflowProgress } from "../workflow/progress.ts";
import { FieldReader, isFields, type Fields } from "./field-reader.ts";
import { leftEpoch } from "./imported-checkpoint.ts";
import type { OldFormat } from "./old-formats.ts";
import type { OldRecord, OldSession } from "./old-session.ts";

type Sha256 = (text: string) => string;
/** What an old record became. */
export interface MadeCheckpoint {
  readonly id: string;
  /** Its state and outputs are in the checkpoint. */
  readonly holdsState: boolean;
}

export interface ImportedSession {
  readonly id: string;
  readonly format: OldFormat;
  readonly worktreeId: string;
  readonly old: OldSession;
  readonly checkpoints: ReadonlyMap<OldRecord, MadeCheckpoint>;
  readonly at: string;
  readonly by: string | null;
  readonly sha256: Sha256;
}

/** Tells whether the same was imported before. */
export function oldSessionDigest(old: OldSession, sha256: Sha256): string {
  return `sha256:${sha256(canonicalJson(old))}`;
}

export function importedSession(given: ImportedSession): SessionDocument {
  const { old, id, format, worktreeId } = given;
  const damage = corrupted(given);
  const stated = old.records.find((record) => record.id === old.currentRecord);
  const held = stated && given.checkpoints.get(stated);
  const named = fullBranch(old.branch);
  const branch = named !== null && isRestorableRef(named) ? named : null;
  return {
    schema_version: SCHEMA_VERSION,
    id,
    implicit: false,
    status: old.status,
    created_at: old.createdAt,
    updated_at: old.updatedAt,
    worktrees: { [worktreeId]: EMPTY_LINE },
    worktree_id: worktreeId,
    history: history(given),
    ...texts(old),
    ...(old.issueNumber === null ? {} : { issue_number: old.issueNumber }),
    ...(old.issueSnapshot === null ? {} : { issue_snapshot: old.issueSnapshot }),
    ...(branch === null ? {} : { branch }),
    ...(old.lastError === null ? {} : { last_error: old.lastError }),
    ...(isEnded(old.status) ? { ended_at: old.updatedAt } : {}),
    // From now on: counted from then, the next cleanup would take it away again.
    ...(old.isArchived ? { archived_at: given.at } : {}),
    ...(Object.keys(damage).length === 0 ? {} : { corrupted: damage }),
    ...(held?.holdsState === true ? { state: { checkpoint_id: held.id } } : {}),
    workflow: withOurIds(old.workflow, given),
    imported: {
      format,
      session_id: old.id,
      at: given.at,
      by: given.by,
      digest: oldSessionDigest(old, given.sha256),
      current_record: old.currentRecord,
      records: old.records.map((record) => recordEntry(record, given.checkpoints.get(record))),
      rollback_history: old.rollbacks.map(({ rest, ...rollback }) => ({ ...rest, ...rollback })),
      rest: old.rest,
    },
  };
}

function texts(old: OldSession): Partial<SessionDocument> {
  return {
    ...(old.workflowType === null ? {} : { workflow_type: old.workflowType }),
    ...(old.projectName === null ? {} : { project_name: old.projectName }),
    ...(old.description === null ? {} : { description: old.description }),
    ...(old.topic === null ? {} : { topic: old.topic }),
    ...(old.taskId === null ? {} : { task_id: old.taskId }),
  };
}

export function fullBranch(name: string | null): string | null {
  if (name === null || name === "" || name === "HEAD") return null;
  return name.startsWith("refs/") ? name : `refs/heads/${name}`;
}

/** What became a checkpoint is there; of the others everything is here. */
function recordEntry(record: OldRecord, made: MadeCheckpoint | undefined): Fields {
  const { state, outputs } = record;
  const held = made?.holdsState === true;
  return {
    id: record.id,
    file: record.file,
    checkpoint_id: made?.id ?? null,
    created_at: record.createdAt,
    phase: record.phase,
    step: record.step,
    previous_phase: record.previousPhase,
    workflow_state: record.workflowState,
    trigger: record.trigger,
    task_id: record.taskId,
    issue_number: record.issueNumber,
    description: record.description,
    user: record.user,
    metrics: record.metrics,
    files: record.files,
    code: record.code,
    valid: record.valid,
    invalidated_by: record.invalidatedBy,
    corrupted_at: record.corruptedAt,
    damage: record.damage,
    ...(held || state === undefined ? {} : { state }),
    ...(held || outputs === undefined ? {} : { outputs }),
    rest: record.rest,
  };
}

/**
 * How far the workflow had come at one record, so that a rollback to its checkpoint restores that. Undefined: the format has no steps,
 * or a graph of which only the end is known.
 */
export function progressAt(
  old: OldSession,
  record: OldRecord,
  ourId: (record: OldRecord) => string | null,
): HeldWorkflow | undefined {
  const { step, state, outputs } = record;
  if (step === null || old.workflow.execution_graph !== null) return undefined;
  const idOf = (recordId: string | null): string | null => {
    const found = old.records.find(({ id }) => id === recordId);
    return found === undefined ? null : ourId(found);
  };
  const fields = new FieldReader(state);
  return {
    ...NO_PROGRESS,
    current_phase: record.phase,
    current_step: step,
    phases: old.workflow.phases.map((phase) =>
      phase.step <= step
        ? {
            ...phase,
            checkpoint_before: idOf(phase.checkpoint_before),
            checkpoint_after: idOf(phase.checkpoint_after),
          }
        : {
            ...phase,
            status: "pending" as const,
            started_at: null,
            completed_at: null,
            checkpoint_before: null,
            checkpoint_after: null,
            error: null,
          },
    ),
    ...(state === undefined ? {} : { state }),
    outputs: isFields(outputs) ? outputs : {},
    metrics: record.metrics,
    iteration_count: fields.count("iteration_count") ?? 0,
    state_label: record.workflowState,
    session_status: "paused",
  };
}

/** Rollbacks of the old tool. They cannot be undone: it kept nothing to go back to. */
function history(given: ImportedSession): RollbackRecord[] {
  const idOf = (recordId: string | null): string | null => {
    const record = given.old.records.find(({ id }) => id === recordId);
    return (record && given.checkpoints.get(record)?.id) ?? recordId;
  };
  const stepOf = (recordId: string | null): number | null =>
    given.old.records.find(({ id }) => id === recordId)?.step ?? null;
  return given.old.rollbacks.map((rollback) => ({
    id: rollback.id,
    kind: "rollback",
    worktree_id: given.worktreeId,
    at: rollback.at,
    by: null,
    reason: rollback.reason,
    from_id: idOf(rollback.from),
    to_id: idOf(rollback.to) ?? "",
    safety_id: "",
    epoch_before: leftEpoch(rollback.id),
    epoch_after: null,
    from_step: stepOf(rollback.from),
    to_step: stepOf(rollback.to),
    files: 0,
  }));
}

function corrupted({ old, checkpoints, at }: ImportedSession): Record<string, DamageRecord> {
  return Object.fromEntries(
    old.records.flatMap((record) => {
      const id = checkpoints.get(record)?.id;
      if (id === undefined || record.corruptedAt === null) return [];
      const problems = ["it was marked as corrupted before it was imported"];
      return [[id, { at: record.corruptedAt ?? at, problems }]];
    }),
  );
}

/** Phases name old records; a record that became no checkpoint is none to go back to. */
function withOurIds(workflow: WorkflowProgress, given: ImportedSession): WorkflowProgress {
  const ourId = (recordId: string | null): string | null => {
    const record = given.old.records.find(({ id }) => id === recordId);
    return (record && given.checkpoints.get(record)?.id) ?? null;
  };
  return {
    ...workflow,
    phases: workflow.phases.map((phase) => ({
      ...phase,
      checkpoint_before: ourId(phase.checkpoint_before),
      checkpoint_after: ourId(phase.checkpoint_after),
    })),
  };
}

/** What an imported session says about its origin. */
export interface SessionOrigin {
  readonly digest: string | null;
  /** Checkpoints of records, by `recordKey`; null: the record became none. */
  readonly checkpointIds: ReadonlyMap<string, string | null>;
}

export function recordKey({ file, id }: Pick<OldRecord, "file" | "id">): string {
  return `${file}\n${id}`;
}

/** Undefined: it was not imported. */
export function originOf(session: SessionDocument): SessionOrigin | undefined {
  if (!isFields(session["imported"])) return undefined;
  const imported = new FieldReader(session["imported"]);
  const entries = imported.list("records").map((entry): [string, string | null] => {
    const record = new FieldReader(entry);
    const key = { file: record.text("file") ?? "", id: record.text("id") ?? "" };
    return [recordKey(key), record.text("checkpoint_id")];
  });
  return { digest: imported.text("digest"), checkpointIds: new Map(entries) };
}

/** The same session with records that became checkpoints since: their commits have come meanwhile. */
export function withMoreCheckpoints(
  session: SessionDocument,
  given: ImportedSession,
): SessionDocument {
  const before = isFields(session["imported"]) ? session["imported"] : {};
  const made = new Map(
    [...given.checkpoints].map(([record, checkpoint]) => [recordKey(record), checkpoint]),
  );
  const records = new FieldReader(before).list("records").map((entry) => {
    const record = new FieldReader(entry);
    const key = recordKey({ file: record.text("file") ?? "", id: record.text("id") ?? "" });
    const checkpoint = made.get(key);
    if (checkpoint === undefined || !isFields(entry)) return entry;
    const { state, outputs, ...rest } = entry;
    const kept = checkpoint.holdsState ? {} : { state, outputs };
    return { ...rest, ...kept, checkpoint_id: checkpoint.id };
  });
  const damage = { ...session.corrupted, ...corrupted(given) };
  return {
    ...session,
    updated_at: given.at,
    ...(session.workflow === undefined ? {} : { workflow: filledIn(session.workflow, given) }),
    ...(Object.keys(damage).length === 0 ? {} : { corrupted: damage }),
    imported: { ...before, records },
  };
}

/** Phases that had no checkpoint, with the one that came. */
function filledIn(workflow: WorkflowProgress, given: ImportedSession): WorkflowProgress {
  const ours = withOurIds(given.old.workflow, given).phases;
  return {
    ...workflow,
    phases: workflow.phases.map((phase) => {
      const found = ours.find(({ name, step }) => name === phase.name && step === phase.step);
      return {
        ...phase,
        checkpoint_before: phase.checkpoint_before ?? found?.checkpoint_before ?? null,
        checkpoint_after: phase.checkpoint_after ?? found?.checkpoint_after ?? null,
      };
    }),
  };
}

/** A document is read by every list. Larger ones lose what their records hold beside the checkpoints. */
const MOST_BYTES = 8 * 1024 * 1024;

/** Undefined when nothing helps. */
export function fittingSession(
  session: SessionDocument,
): { readonly session: SessionDocument; readonly isCut: boolean } | undefined {
  if (sizeOf(session) <= MOST_BYTES) return { session, isCut: false };
  const imported = isFields(session["imported"]) ? session["imported"] : {};
  const records = new FieldReader(imported).list("records").map((entry) => {
    const { state: _state, outputs: _outputs, rest: _rest, ...kept } = isFields(entry) ? entry : {};
    return kept;
  });
  const cut = { ...session, imported: { ...imported, records } };
  return sizeOf(cut) <= MOST_BYTES ? { session: cut, isCut: true } : undefined;
}

function sizeOf(session: SessionDocument): number {
  return JSON.stringify(session).length;
}
