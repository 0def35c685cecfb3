/** The registry of flowspec: `.flowspec/checkpoints.json`. Each task is a session of its own; what belongs to none is one together. */
import type { Trigger } from "../checkpoint.ts";
import { NO_PROGRESS, type PhaseProgress, type WorkflowProgress } from "../workflow/progress.ts";
import { FieldReader } from "./field-reader.ts";
import { NO_FILES } from "./old-files.ts";
import { byAge } from "./old-record.ts";
import type { OldRecord, OldSession, ReadSession } from "./old-session.ts";

/** The phases of flowspec, in their order: the step of a record is its place here. */
const PHASES = ["assess", "specify", "research", "plan", "implement", "validate", "operate"];

const TRIGGERS = ["pre_phase", "post_phase", "manual", "auto"] as const satisfies Trigger[];

export interface FlowspecRegistry {
  readonly file: string;
  readonly content: unknown;
  /** Entries of the registry that can be read, each with its place. */
  readonly entries: readonly { readonly place: string; readonly content: unknown }[];
  readonly writtenAt: string;
}

export function readFlowspec(registry: FlowspecRegistry): ReadSession[] {
  const fields = new FieldReader(registry.content);
  fields.list("checkpoints");
  const currentId = fields.text("current_checkpoint_id");
  const records = registry.entries.map(({ place, content }) =>
    readRecord(place, content, registry.writtenAt),
  );
  const tasks = [...new Set(records.map(({ taskId }) => taskId))];
  return tasks.map((task) => ({
    session: sessionOf(
      task,
      records.filter(({ taskId }) => taskId === task).toSorted(byAge),
      currentId,
      fields,
    ),
    problems: [],
  }));
}

function readRecord(file: string, content: unknown, writtenAt: string): OldRecord {
  const fields = new FieldReader(content);
  const id = fields.text("id") ?? file;
  const phase = fields.text("phase");
  const type = fields.text("checkpoint_type");
  const trigger = TRIGGERS.find((known) => known === type);
  const hasUncommitted = fields.flag("has_uncommitted");
  const stashRef = fields.text("stash_ref");
  const isStashed = stashRef !== null || hasUncommitted === true;
  const step = PHASES.indexOf(phase ?? "");
  return {
    id,
    file,
    createdAt: fields.time("timestamp") ?? writtenAt,
    phase,
    step: step < 0 ? null : step + 1,
    previousPhase: fields.text("previous_phase"),
    workflowState: fields.text("workflow_state"),
    trigger: trigger ?? "auto",
    taskId: fields.text("task_id"),
    issueNumber: null,
    description: fields.text("description"),
    user: fields.text("user"),
    metrics: fields.fields("metrics_snapshot") ?? {},
    files: NO_FILES,
    code: {
      commit: fields.text("commit_hash"),
      branch: fields.text("branch"),
      tag: phase === null || type === null ? null : `refs/tags/flowspec/${phase}/${type}/${id}`,
      stash: isStashed ? `flowspec checkpoint ${id} - ` : null,
    },
    valid: true,
    invalidatedBy: null,
    corruptedAt: null,
    damage: null,
    rest: {
      ...fields.rest(),
      ...(stashRef === null ? {} : { stash_ref: stashRef }),
      ...(hasUncommitted === null ? {} : { has_uncommitted: hasUncommitted }),
      ...(trigger === undefined && type !== null ? { checkpoint_type: type } : {}),
    },
  };
}

function sessionOf(
  task: string | null,
  records: readonly OldRecord[],
  currentId: string | null,
  registry: FieldReader,
): OldSession {
  const current = records.find(({ id }) => id === currentId) ?? records.at(-1);
  const at = current?.createdAt ?? new Date(0).toISOString();
  return {
    id: task === null ? "flowspec" : `flowspec-${task}`,
    createdAt: records[0]?.createdAt ?? at,
    updatedAt: records.at(-1)?.createdAt ?? at,
    // A registry does not say whether anybody was at work.
    status: "paused",
    workflowType: "flowspec",
    projectName: null,
    description: null,
    topic: null,
    taskId: task,
    issueNumber: null,
    issueSnapshot: null,
    branch: current?.code?.branch ?? null,
    lastError: null,
    isArchived: false,
    workflow: progress(records, current),
    records,
    rollbacks: [],
    currentRecord: current?.id ?? null,
    rest: { ...registry.rest(), current_checkpoint_id: currentId },
  };
}

function progress(records: readonly OldRecord[], current: OldRecord | undefined): WorkflowProgress {
  const names = [...new Set(records.flatMap(({ phase }) => (phase === null ? [] : [phase])))];
  const place = (name: string): number =>
    PHASES.includes(name) ? PHASES.indexOf(name) : PHASES.length;
  const phases = names
    .toSorted((left, right) => place(left) - place(right))
    .map((name, at): PhaseProgress => phaseOf(name, at, records));
  return {
    ...NO_PROGRESS,
    current_phase: current?.phase ?? null,
    current_step: current?.step ?? null,
    phases,
    metrics: current?.metrics ?? {},
    state_label: current?.workflowState ?? null,
  };
}

function phaseOf(name: string, at: number, records: readonly OldRecord[]): PhaseProgress {
  const own = records.filter(({ phase }) => phase === name);
  const before = own.findLast(({ trigger }) => trigger === "pre_phase");
  const after = own.findLast(({ trigger }) => trigger === "post_phase");
  const isDone = after !== undefined && byAge(after, before ?? after) >= 0;
  const known = PHASES.indexOf(name);
  return {
    name,
    step: known < 0 ? PHASES.length + at + 1 : known + 1,
    status: isDone ? "completed" : before === undefined ? "pending" : "running",
    attempts: Math.max(
      own.filter(({ trigger }) => trigger === "pre_phase").length,
      after === undefined ? 0 : 1,
    ),
    started_at: before?.createdAt ?? null,
    completed_at: isDone ? after.createdAt : null,
    checkpoint_before: before?.id ?? null,
    checkpoint_after: isDone ? after.id : null,
    error: null,
  };
}
