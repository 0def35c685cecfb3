/** One file of claude-checkpoints: a whole workflow with its phases. It says nothing about the code of its moment. */
import { NO_PROGRESS, type PhaseProgress, type WorkflowProgress } from "../workflow/progress.ts";
import type { SessionError } from "../session.ts";
import type { SessionStatus } from "../workflow/session-status.ts";
import { FieldReader, isFields, type Fields } from "./field-reader.ts";
import type { ReadSession } from "./old-session.ts";
import { sessionStatus } from "./old-status.ts";

export interface ClaudeCheckpointFile {
  /** From the folder; in `failed/` are those that were put away. */
  readonly file: string;
  readonly content: unknown;
  readonly writtenAt: string;
}

/** `{workflow_type}_{project_name}_{YYYYMMDD_HHMMSS}` */
const ID = /^([^_]+)_(.+)_(\d{4})(\d{2})(\d{2})_(\d{2})(\d{2})(\d{2})$/;

export function readClaudeCheckpoint({
  file,
  content,
  writtenAt,
}: ClaudeCheckpointFile): ReadSession {
  const fields = new FieldReader(content);
  const isArchived = file.startsWith("failed/");
  const id = fields.text("checkpoint_id") ?? file.replace(/^failed\//, "").replace(/\.json$/, "");
  const [, type = null, project = null, ...digits] = ID.exec(id) ?? [];
  const state = fields.fields("workflow_state");
  const described = fields.text("status");
  const status = isArchived ? "failed" : sessionStatus(described);
  const createdAt = fields.time("created_at") ?? timeOf(digits) ?? writtenAt;
  const updatedAt = fields.time("updated_at") ?? createdAt;
  const phases = phasesOf(fields, status, updatedAt);
  const session = {
    id,
    createdAt,
    updatedAt,
    status,
    workflowType: fields.text("workflow_type") ?? type,
    projectName: new FieldReader(state).text("project_name") ?? project,
    description: fields.text("workflow_description"),
    topic: null,
    taskId: fields.text("task_id"),
    issueNumber: fields.count("issue_number"),
    issueSnapshot: null,
    branch: null,
    lastError: errorOf(fields.any("last_error"), updatedAt, phases.current?.name ?? null),
    isArchived,
    workflow: progress(phases, state),
    records: [],
    rollbacks: [],
    currentRecord: null,
    rest: { ...fields.rest(), ...(isArchived && described !== null ? { status: described } : {}) },
  };
  return { session, problems: [] };
}

function timeOf(digits: readonly (string | undefined)[]): string | null {
  const [year, month, day, hour, minute, second] = digits;
  if (year === undefined) return null;
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return new FieldReader({ text }).time("text");
}

interface Phases {
  readonly all: readonly PhaseProgress[];
  readonly current: PhaseProgress | undefined;
}

/** More phases than this no workflow has; a number alone must not fill the memory. */
const MOST_PHASES = 1000;

function phasesOf(fields: FieldReader, status: SessionStatus, updatedAt: string): Phases {
  const currentStep = fields.count("current_phase");
  const completed = new Set(
    fields.list("completed_phases").filter((step) => Number.isSafeInteger(step)),
  );
  const last = Math.max(
    fields.count("total_phases") ?? 0,
    currentStep ?? 0,
    ...[...completed].map(Number),
  );
  const all = Array.from({ length: Math.min(last, MOST_PHASES) }, (_, at): PhaseProgress => {
    const step = at + 1;
    const isDone = completed.has(step);
    const isCurrent = step === currentStep && !isDone;
    return {
      name: `phase-${step}`,
      step,
      status: isDone
        ? "completed"
        : isCurrent
          ? status === "failed"
            ? "failed"
            : "running"
          : "pending",
      attempts: isDone || isCurrent ? 1 : 0,
      started_at: null,
      completed_at: isDone && step === Math.max(...[...completed].map(Number)) ? updatedAt : null,
      checkpoint_before: null,
      checkpoint_after: null,
      error: null,
    };
  });
  return { all, current: all.find(({ step }) => step === currentStep) };
}

/** Texts, or objects with a message. */
export function errorOf(error: unknown, at: string, phase: string | null): SessionError | null {
  if (error === null || error === undefined || error === "") return null;
  const fields = new FieldReader(error);
  const message = typeof error === "string" ? error : fields.text("message", "error");
  return {
    ...(isFields(error) ? fields.rest() : {}),
    at: fields.time("at", "timestamp") ?? at,
    phase: fields.text("phase") ?? phase,
    node: fields.text("node"),
    message: message ?? JSON.stringify(error),
  };
}

/** What the workflow made: it is part of the state, and found under outputs, too. */
const OUTPUTS = ["artifact_registry", "plan_path", "research_results"];

function progress({ all, current }: Phases, state: Fields | null): WorkflowProgress {
  const outputs = Object.entries(state ?? {}).filter(([name]) => OUTPUTS.includes(name));
  return {
    ...NO_PROGRESS,
    current_phase: current?.name ?? null,
    current_step: current?.step ?? null,
    phases: all,
    ...(state === null ? {} : { state }),
    outputs: Object.fromEntries(outputs),
  };
}
