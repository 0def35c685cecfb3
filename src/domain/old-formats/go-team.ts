/** A session folder of go-team: `manifest.json`, one `cp-*.json` for each step, `rollback-history.json`. */
import { NO_PROGRESS, type PhaseProgress, type WorkflowProgress } from "../workflow/progress.ts";
import { FieldReader, isFields, type Fields } from "./field-reader.ts";
import { fileChanges } from "./old-files.ts";
import { byAge } from "./old-record.ts";
import type { NotCarried, OldRecord, OldRollback, OldSession, ReadSession } from "./old-session.ts";
import { sessionStatus } from "./old-status.ts";

export interface GoTeamFile {
  readonly file: string;
  readonly content: unknown;
  /** When the file was written: for records that do not say when they were taken. */
  readonly writtenAt: string;
  /** False: it has a checksum, and that is not the one of its content. */
  readonly isWhole: boolean;
}

export interface GoTeamFolder {
  readonly name: string;
  readonly manifest: GoTeamFile | undefined;
  readonly records: readonly GoTeamFile[];
  /** Entries of `rollback-history.json`. */
  readonly history: readonly unknown[];
}

export function readGoTeam(folder: GoTeamFolder): ReadSession {
  const manifest = new FieldReader(folder.manifest?.content);
  const id = manifest.text("session_id") ?? folder.name;
  const standing = standings(manifest.list("checkpoints"));
  const problems: NotCarried[] = [];
  const records = folder.records
    .map((file) => readRecord(id, file, standing, problems))
    .toSorted(byAge);
  problems.push(...withoutFile(id, standing, records));
  const rollbacks = readRollbacks([...manifest.list("rollback_history"), ...folder.history]);
  const currentRecord = manifest.text("current_checkpoint");
  const current =
    records.find((record) => record.id === currentRecord) ??
    records.findLast(({ valid, damage }) => valid && damage === null);
  const state = new FieldReader(current?.state);
  const lastAt = [
    ...records.map(({ createdAt }) => createdAt),
    ...rollbacks.map(({ at }) => at),
  ].reduce((left, right) => (left > right ? left : right), "");
  const createdAt =
    manifest.time("created_at") ?? records[0]?.createdAt ?? folder.manifest?.writtenAt ?? lastAt;
  const session: OldSession = {
    id,
    createdAt,
    updatedAt: manifest.time("updated_at") ?? (lastAt === "" ? createdAt : lastAt),
    status: sessionStatus(manifest.text("status")),
    workflowType: manifest.text("workflow_type") ?? "go-team",
    projectName: manifest.text("project_name", "project"),
    description: manifest.text("description"),
    topic: manifest.text("topic"),
    taskId: manifest.text("task_id"),
    issueNumber: manifest.count("issue_number"),
    issueSnapshot: null,
    branch: current?.code?.branch ?? null,
    lastError: null,
    isArchived: false,
    workflow: progress(records, current, state),
    records,
    rollbacks,
    currentRecord: current?.id ?? null,
    rest: manifest.rest(),
  };
  return { session, problems };
}

interface Standing {
  readonly step: number | null;
  readonly at: string | null;
  readonly valid: boolean;
  readonly invalidatedBy: string | null;
  readonly corruptedAt: string | null;
  readonly rest: Fields;
}

/** What the manifest says about each record. */
function standings(entries: readonly unknown[]): ReadonlyMap<string, Standing> {
  const found = new Map<string, Standing>();
  for (const entry of entries) {
    const fields = new FieldReader(entry);
    const id = fields.text("id");
    if (id === null) continue;
    found.set(id, {
      step: fields.count("step"),
      at: fields.time("timestamp"),
      valid: fields.flag("valid") ?? true,
      invalidatedBy: fields.text("invalidated_by"),
      corruptedAt: fields.time("corrupted_at"),
      rest: fields.rest(),
    });
  }
  return found;
}

function readRecord(
  session: string,
  { file, content, writtenAt, isWhole }: GoTeamFile,
  standing: ReadonlyMap<string, Standing>,
  problems: NotCarried[],
): OldRecord {
  const fields = new FieldReader(content);
  const id = fields.text("id") ?? file.replace(/^.*\//, "").replace(/\.json$/, "");
  const listed = standing.get(id);
  const state = fields.any("state");
  const git = fields.inner("git");
  const isCommitted = git.flag("enabled") !== false;
  const { files, leftOut } = fileChanges(fields.inner("files"));
  if (leftOut > 0) {
    const message = `${leftOut} of its paths are outside the project and were skipped`;
    problems.push({ code: "fields_left_out", session, record: id, file, message });
  }
  const damage = isWhole ? null : "its checksum does not match its content";
  const commit = git.text("commit_hash", "commit");
  return {
    id,
    file,
    createdAt: fields.time("created_at") ?? listed?.at ?? timeInId(id) ?? writtenAt,
    phase: fields.text("step_name"),
    step: fields.count("step_number") ?? listed?.step ?? null,
    previousPhase: null,
    workflowState: new FieldReader(state).text("phase"),
    // They are taken when a step is done.
    trigger: "post_phase",
    taskId: fields.text("task_id"),
    issueNumber: fields.count("issue_number"),
    description: fields.text("description"),
    user: fields.text("user"),
    metrics: new FieldReader(state).fields("metrics") ?? {},
    ...(state === undefined ? {} : { state }),
    ...(fields.has("outputs") ? { outputs: fields.any("outputs") } : {}),
    files,
    code: isCommitted ? { commit, branch: git.text("branch"), tag: null, stash: null } : null,
    // What a record says of itself counts as well as what the manifest says.
    valid: (listed?.valid ?? true) && fields.flag("valid") !== false,
    invalidatedBy: listed?.invalidatedBy ?? fields.text("invalidated_by"),
    corruptedAt: listed?.corruptedAt ?? fields.time("corrupted_at"),
    damage,
    rest: { ...listed?.rest, ...fields.rest(), ...nested("git", git.rest()) },
  };
}

function nested(name: string, rest: Fields): Fields {
  return Object.keys(rest).length === 0 ? {} : { [name]: rest };
}

/** `cp-03-architecture-20251228-213000` */
function timeInId(id: string): string | null {
  const [, year, month, day, hour, minute, second] =
    /(\d{4})(\d{2})(\d{2})-(\d{2})(\d{2})(\d{2})$/.exec(id) ?? [];
  if (year === undefined) return null;
  const text = `${year}-${month}-${day}T${hour}:${minute}:${second}Z`;
  return new FieldReader({ text }).time("text");
}

function withoutFile(
  session: string,
  standing: ReadonlyMap<string, Standing>,
  records: readonly OldRecord[],
): NotCarried[] {
  const there = new Set(records.map(({ id }) => id));
  return [...standing.keys()]
    .filter((id) => !there.has(id))
    .map((record) => ({
      code: "missing_file",
      session,
      record,
      file: null,
      message: "the manifest lists it, but its file is missing or cannot be read",
    }));
}

/** The same ones may be in the manifest and in the file beside it. */
function readRollbacks(entries: readonly unknown[]): OldRollback[] {
  const found = new Map<string, OldRollback>();
  for (const entry of entries.filter(isFields)) {
    const fields = new FieldReader(entry);
    const id = fields.text("id");
    const at = fields.time("timestamp");
    if (id === null || at === null || found.has(id)) continue;
    found.set(id, {
      id,
      at,
      from: fields.text("from_checkpoint"),
      to: fields.text("to_checkpoint"),
      reason: fields.text("reason"),
      rest: fields.rest(),
    });
  }
  return [...found.values()].toSorted((left, right) => (left.at < right.at ? -1 : 1));
}

function progress(
  records: readonly OldRecord[],
  current: OldRecord | undefined,
  state: FieldReader,
): WorkflowProgress {
  if (current === undefined) return NO_PROGRESS;
  return {
    ...NO_PROGRESS,
    current_phase: current.phase,
    current_step: state.count("current_step") ?? current.step,
    phases: phases(records),
    state: current.state,
    outputs: isFields(current.outputs) ? current.outputs : {},
    metrics: state.fields("metrics") ?? {},
    iteration_count: state.count("iteration_count") ?? 0,
    state_label: state.text("phase"),
  };
}

/** A step that has a valid record is done. */
function phases(records: readonly OldRecord[]): PhaseProgress[] {
  const bySteps = new Map<number, PhaseProgress>();
  for (const { id, phase, step, createdAt, valid } of records) {
    if (step === null) continue;
    const before = bySteps.get(step);
    const begun: PhaseProgress = {
      name: phase ?? `step-${step}`,
      step,
      status: "pending",
      attempts: (before?.attempts ?? 0) + 1,
      started_at: null,
      completed_at: null,
      checkpoint_before: null,
      checkpoint_after: null,
      error: null,
    };
    const done = { status: "completed", completed_at: createdAt, checkpoint_after: id } as const;
    bySteps.set(step, valid ? { ...begun, ...done } : { ...begun, ...lastDone(before) });
  }
  return [...bySteps.values()].toSorted((left, right) => left.step - right.step);
}

function lastDone(before: PhaseProgress | undefined): Partial<PhaseProgress> {
  if (before === undefined) return {};
  const { status, completed_at, checkpoint_after } = before;
  return { status, completed_at, checkpoint_after };
}
