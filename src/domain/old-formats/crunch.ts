/** The checkpoints of one issue in crunch: `index.yaml`, `CP-*.yaml`, `latest`. They say nothing about the commit of their moment. */
import type { Trigger } from "../checkpoint.ts";
import { TRIGGERS } from "../checkpoint.ts";
import { FieldReader, type Fields } from "./field-reader.ts";
import { errorOf } from "./claude-checkpoints.ts";
import { crunchProgress, issueSnapshot } from "./crunch-progress.ts";
import { NO_FILES } from "./old-files.ts";
import { byAge } from "./old-record.ts";
import type { NotCarried, OldRecord, OldSession, ReadSession } from "./old-session.ts";

export interface CrunchFile {
  readonly file: string;
  readonly content: unknown;
  readonly writtenAt: string;
}

export interface CrunchFolder {
  /** The folder's own name, which is the number of the issue. */
  readonly issue: string;
  readonly index: CrunchFile | undefined;
  readonly records: readonly CrunchFile[];
  /** What the link `latest` points at, without its ending. */
  readonly latest: string | null;
}

export function readCrunch(folder: CrunchFolder): ReadSession {
  const index = new FieldReader(folder.index?.content);
  const listed = new Map(
    index.list("checkpoints").map((entry) => {
      const fields = new FieldReader(entry);
      return [fields.text("checkpoint_id"), fields];
    }),
  );
  const read = folder.records
    .map((file) => readRecord(file, listed))
    .toSorted((left, right) => byAge(left.record, right.record));
  const records = read.map(({ record }) => record);
  const latest = index.text("latest") ?? folder.latest;
  const chosen = read.find(({ record }) => record.id === latest) ?? read.at(-1);
  const source = new FieldReader(chosen?.content);
  const current = chosen?.record;
  const at = current?.createdAt ?? folder.index?.writtenAt ?? new Date(0).toISOString();
  const recovery = new FieldReader(source.fields("recovery_info"));
  const canResume = recovery.flag("can_resume") !== false;
  const issueNumber =
    index.count("issue_number") ??
    current?.issueNumber ??
    (/^\d{1,9}$/.test(folder.issue) ? Number(folder.issue) : null);
  const id = `crunch-${issueNumber ?? folder.issue}`;
  const snapshot = issueSnapshot(source.fields("issue_snapshot"), issueNumber, at);
  const why = `it cannot be resumed: ${recovery.texts("warnings").join("; ") || "its record says so"}`;
  const workflow = crunchProgress(source, records, current);
  const session: OldSession = {
    id,
    createdAt: records[0]?.createdAt ?? at,
    updatedAt: at,
    status: canResume ? "interrupted" : "failed",
    workflowType: "crunch",
    projectName: null,
    description: snapshot?.title ?? null,
    topic: null,
    taskId: null,
    issueNumber,
    issueSnapshot: snapshot,
    branch: snapshot?.branch ?? null,
    lastError: canResume ? null : errorOf(why, at, current?.phase ?? null),
    isArchived: false,
    workflow,
    records,
    rollbacks: [],
    currentRecord: current?.id ?? null,
    rest: index.rest(),
  };
  const outside = source.list("files_modified").length - workflow.files_modified.length;
  return {
    session,
    problems: [...withoutFile(id, listed, records), ...leadOut(id, current, outside)],
  };
}

function leadOut(session: string, record: OldRecord | undefined, count: number): NotCarried[] {
  if (count === 0 || record === undefined) return [];
  const message = `${count} of its modified files have no path in the project and were skipped`;
  return [{ code: "fields_left_out", session, record: record.id, file: record.file, message }];
}

function readRecord(
  { file, content, writtenAt }: CrunchFile,
  listed: ReadonlyMap<string | null, FieldReader>,
): { record: OldRecord; content: unknown } {
  const fields = new FieldReader(content);
  const id = fields.text("checkpoint_id") ?? idOfName(file);
  const entry = listed.get(id) ?? new FieldReader({});
  const state = new FieldReader(fields.fields("workflow_state"));
  const trigger = entry.text("trigger") ?? fields.text("trigger");
  const record: OldRecord = {
    id,
    file,
    createdAt: fields.time("created_at") ?? entry.time("created_at") ?? writtenAt,
    phase: state.text("current_phase") ?? entry.text("phase"),
    step: null,
    previousPhase: null,
    workflowState: state.text("current_state_label"),
    trigger: triggerOf(trigger),
    taskId: null,
    issueNumber: fields.count("issue_number"),
    description: null,
    user: null,
    metrics: {},
    files: NO_FILES,
    code: null,
    valid: true,
    invalidatedBy: null,
    corruptedAt: null,
    damage: null,
    rest: { ...entry.rest(), ...(trigger === null ? {} : { trigger }), ...wholeRest(content) },
  };
  return { record, content };
}

function idOfName(file: string): string {
  return file.replace(/^.*\//, "").replace(/\.ya?ml$/, "");
}

/** All that a record holds: which of them the session stands at decides what the session says, and the others are kept as they are. */
function wholeRest(content: unknown): Fields {
  const fields = new FieldReader(content);
  fields.text("checkpoint_id");
  fields.time("created_at");
  fields.count("issue_number");
  return fields.rest();
}

/** `phase_transition` is written at the end of a phase, before the next one. */
function triggerOf(text: string | null): Trigger {
  if (text === "phase_transition") return "post_phase";
  return TRIGGERS.find((trigger) => trigger === text && trigger !== "pre_rollback") ?? "auto";
}

function withoutFile(
  session: string,
  listed: ReadonlyMap<string | null, FieldReader>,
  records: readonly OldRecord[],
): NotCarried[] {
  const there = new Set<string | null>(records.map(({ id }) => id));
  return [...listed.keys()].flatMap((record): NotCarried[] => {
    if (record === null || there.has(record)) return [];
    const renamed = records.find(({ file }) => idOfName(file) === record);
    const why =
      renamed === undefined
        ? "its file is missing or cannot be read"
        : `its file has the id ${renamed.id}`;
    const message = `index.yaml lists it, but ${why}`;
    return [{ code: "missing_file", session, record, file: renamed?.file ?? null, message }];
  });
}
