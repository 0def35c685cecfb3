/** The session document: everything about checkpoints that changes after they were taken. */
import { SCHEMA_VERSION } from "./checkpoint.ts";
import { redactReason } from "./secrets/redact.ts";
import type { RestoredWorkflow } from "./workflow/held-workflow.ts";
import type { TaskRecord } from "./task.ts";
import type { Lease } from "./workflow/lease.ts";
import type { ModifiedFile, WorkflowProgress } from "./workflow/progress.ts";
import { isEnded } from "./workflow/session-status.ts";

export const ROLLBACK_KINDS = ["rollback", "undo", "redo", "recovery"] as const;
export type RollbackKind = (typeof ROLLBACK_KINDS)[number];

/** One entry of the journal. Entries are added and never changed. */
export interface RollbackRecord {
  readonly id: string;
  readonly kind: RollbackKind;
  readonly worktree_id: string;
  readonly at: string;
  /** Counts the rollbacks of the work tree over all sessions; left out before there was such a count. */
  readonly turn?: number;
  readonly by: string | null;
  readonly reason: string | null;
  readonly from_id: string | null;
  readonly to_id: string;
  readonly safety_id: string;
  readonly epoch_before: string | null;
  readonly epoch_after: string | null;
  /** Set when the session's progress was restored; null: it was at no step. */
  readonly from_step?: number | null;
  readonly to_step?: number | null;
  readonly files: number;
  /** What became of the task that the checkpoint holds. */
  readonly task?: TaskRecord;
  /** It undid only the work of one session. */
  readonly selective?: SelectiveRecord;
}

export interface SelectiveRecord {
  /** An agent's session, or one of ours. */
  readonly session: string;
  /** `lines`: kept what others did in the same files; `paths`: whole files that nobody else changed. */
  readonly by: "lines" | "paths";
  /** The checkpoint from which its steps were undone. */
  readonly since_id: string;
  readonly steps: number;
}

/** A rollback that can be undone, or an undone one that can be redone. */
export interface UndoEntry {
  readonly rollback_id: string;
  /** The checkpoint to go to: the state before the rollback (undo) or before the undo (redo). */
  readonly return_id: string;
  /** The checkpoint that the rollback went to. */
  readonly to_id: string;
  /** What the project looked like right after, so that undo can tell whether work was done since. */
  readonly result: string;
  readonly epoch_before: string | null;
  readonly epoch_after: string | null;
  readonly files_only: boolean;
  readonly state_only?: boolean;
  readonly database_only?: boolean;
  readonly paths: readonly string[] | null;
  readonly keep_head: boolean;
  /** Patterns that the rollback was limited to. */
  readonly scope?: readonly string[];
  /** Logs of databases that went with their files. */
  readonly beside?: readonly string[];
}

/** Written down here, so that lineage does not depend on a checkpoint that may be deleted. */
export interface EpochBase {
  readonly base_id: string;
  readonly seq: number;
  readonly epoch: string | null;
  readonly created_at: string;
  /** False for a checkpoint of another session or work tree: its numbers mean nothing here. */
  readonly is_own: boolean;
  /** The epoch that was left for it; older writers left that to the history. */
  readonly left?: string | null;
}

export interface WorkTreeLine {
  readonly epoch: string | null;
  /** Where each epoch began: the checkpoint that its rollback went to. */
  readonly epochs: Readonly<Record<string, EpochBase>>;
  readonly undo: readonly UndoEntry[];
  readonly redo: readonly UndoEntry[];
}

export const EVENT_KINDS = [
  "pin",
  "unpin",
  "delete",
  "undelete",
  "cleanup",
  "export",
  "import",
  "rebuild",
  "damage_found",
  "guard",
  "take_over",
  "session",
] as const;
export type EventKind = (typeof EVENT_KINDS)[number];

/** What was done to checkpoints besides rolling back: part of the journal, like the history. */
export interface JournalEvent {
  readonly kind: EventKind;
  readonly at: string;
  readonly by: string | null;
  readonly reason: string | null;
  readonly checkpoint_ids: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface PinRecord {
  readonly at: string;
  readonly by: string | null;
  readonly reason: string | null;
}

/** A deleted checkpoint that can still be brought back. */
export interface TrashRecord {
  readonly at: string;
  readonly by: string | null;
  readonly why: string;
}

export interface DamageRecord {
  readonly at: string;
  readonly problems: readonly string[];
}

/** Where the workflow's state is: in this checkpoint. */
export interface StateRecord {
  readonly checkpoint_id: string;
  /** Where the rest of it is, when the checkpoint holds some of its keys or documents only. */
  readonly over?: StateRecord;
}

/** Longer chains forget their oldest ends; each link is a checkpoint that held only a part of the state. */
const MOST_STATE_LINKS = 20;

/** The state after one was saved or restored that may be only a part of it. */
export function stateRecord(
  checkpointId: string,
  isWhole: boolean,
  before: StateRecord | undefined,
): StateRecord {
  if (isWhole || before === undefined) return { checkpoint_id: checkpointId };
  return { checkpoint_id: checkpointId, over: shortened(before, MOST_STATE_LINKS) };
}

function shortened(record: StateRecord, links: number): StateRecord {
  const { checkpoint_id, over } = record;
  return over === undefined || links <= 1
    ? { checkpoint_id }
    : { checkpoint_id, over: shortened(over, links - 1) };
}

/** The issue as last read. */
export interface IssueSnapshot {
  readonly number: number;
  readonly title: string;
  readonly body: string;
  /** Only the beginning of it is here; this is the `sha256:` of all of it, without secrets. */
  readonly body_cut?: string;
  readonly labels: readonly string[];
  readonly assignees: readonly string[];
  /** The branch that the work is on. */
  readonly branch: string | null;
  readonly state?: string;
  readonly url?: string;
  readonly taken_at: string;
  readonly [other: string]: unknown;
}

/** The workflow file as it was when the session began: a session is resumed by what it began with, unless somebody chooses otherwise. */
export interface WorkflowDefinition {
  /** From the root of the project, or absolute when it is outside. */
  readonly path: string;
  /** `sha256:` of the text. */
  readonly digest: string;
  readonly text: string;
}

export interface SessionError {
  readonly at: string;
  readonly phase: string | null;
  readonly node: string | null;
  readonly message: string;
  readonly hint?: string;
  readonly [other: string]: unknown;
}

/** Something that another terminal asks of whoever runs the session. */
export interface SessionRequest {
  readonly id: string;
  readonly at: string;
  readonly by: string | null;
  /** As the observer takes it: `*pause`, `*skip-to:3` … */
  readonly command: string;
}

export interface ReachedBreakpoint {
  readonly phase: string;
  /** Null: it was the last one. */
  readonly next: string | null;
}

export interface SessionDocument {
  readonly schema_version: number;
  readonly id: string;
  readonly implicit: boolean;
  readonly status: string;
  readonly created_at: string;
  readonly updated_at: string;
  readonly worktrees: Readonly<Record<string, WorkTreeLine>>;
  /** The latest ones; older ones are in earlier versions of this document. */
  readonly history: readonly RollbackRecord[];
  /** When the last of those was that are no longer in the history; undefined: it has all of them. */
  readonly history_after?: string;
  /** The latest ones; older ones are in earlier versions of this document. */
  readonly events?: readonly JournalEvent[];
  readonly pinned?: Readonly<Record<string, PinRecord>>;
  readonly trash?: Readonly<Record<string, TrashRecord>>;
  /** Checkpoints that `validate` found damaged. */
  readonly corrupted?: Readonly<Record<string, DamageRecord>>;
  /** The state that the workflow is in; undefined: none was saved. */
  readonly state?: StateRecord;
  /** What kind of workflow it is: `orchestrate`, `implement`, or any word. */
  readonly workflow_type?: string;
  readonly project_name?: string;
  readonly description?: string;
  readonly topic?: string;
  readonly task_id?: string;
  readonly issue_number?: number;
  readonly issue_snapshot?: IssueSnapshot;
  /** Full name of the branch that it began on; null: none. */
  readonly branch?: string | null;
  /** The work tree that it runs in. */
  readonly worktree_id?: string;
  readonly definition?: WorkflowDefinition;
  /** Undefined: it is no workflow. */
  readonly workflow?: WorkflowProgress;
  readonly lease?: Lease;
  readonly last_error?: SessionError | null;
  readonly ended_at?: string;
  /** What it had changed when it ended: the checkpoints that tell may go. */
  readonly files_at_end?: readonly ModifiedFile[];
  /** Archived: it failed, or was started over. */
  readonly archived_at?: string;
  /** Deleted by hand: it goes with the last of its checkpoints. */
  readonly deleted_at?: string;
  /** Requests that its owner has not answered yet, oldest first. */
  readonly requests?: readonly SessionRequest[];
  /** Where its run waits for an answer. */
  readonly breakpoint?: ReachedBreakpoint;
  /** Keys of newer or other writers are carried along. */
  readonly [other: string]: unknown;
}

export const EMPTY_LINE: WorkTreeLine = { epoch: null, epochs: {}, undo: [], redo: [] };

export function implicitSessionId(worktreeId: string): string {
  return `worktree-${worktreeId}`;
}

export function isImplicitSessionId(id: string): boolean {
  return id.startsWith(implicitSessionId(""));
}

export function newSession(id: string, at: string): SessionDocument {
  return {
    schema_version: SCHEMA_VERSION,
    id,
    implicit: true,
    status: "active",
    created_at: at,
    updated_at: at,
    worktrees: {},
    history: [],
  };
}

export function lineOf(session: SessionDocument | undefined, worktreeId: string): WorkTreeLine {
  return session?.worktrees[worktreeId] ?? EMPTY_LINE;
}

/** Lists that only grow would make each change of a session dearer than the one before, and keep its checkpoints for ever. */
export const MOST_UNDOS = 100;
export const MOST_ROLLBACKS = 1000;
const MOST_EVENTS = 1000;

/** They look after checkpoints: the session itself did nothing, and a list in the order of its work stays as it is. */
const UPKEEP: ReadonlySet<EventKind> = new Set<EventKind>([
  "pin",
  "unpin",
  "delete",
  "undelete",
  "cleanup",
  "export",
  "rebuild",
  "damage_found",
]);

export function recordEvent(session: SessionDocument, given: JournalEvent): SessionDocument {
  const event = { ...given, reason: redactReason(given.reason) };
  return {
    ...session,
    updated_at: UPKEEP.has(event.kind) ? session.updated_at : event.at,
    events: [...(session.events ?? []), event].slice(-MOST_EVENTS),
  };
}

export interface FinishedRollback {
  readonly sessionId: string;
  readonly record: RollbackRecord;
  /** The entry that this adds to the undo list (rollback, redo) or to the redo list (undo). */
  readonly entry: UndoEntry;
  /** The entry that an undo or a redo takes from its list, by the id of its rollback. */
  readonly taken?: string;
  readonly base: EpochBase;
  /** Set when the workflow's state was restored too. */
  readonly state?: { readonly checkpointId: string; readonly isWhole: boolean };
  /** Set when the checkpoint holds how far the workflow had come. */
  readonly workflow?: RestoredWorkflow;
}

/** With the progress that came back. One that had ended and waits again is put away no more; one that had ended then has again. */
function reopened(
  session: SessionDocument,
  { progress, status, lastError, end }: RestoredWorkflow,
  at: string,
): SessionDocument {
  const { ended_at = at, archived_at: _, deleted_at: _deleted, ...rest } = session;
  const ending = isEnded(status) ? { ended_at, ...end } : {};
  return { ...rest, ...ending, workflow: progress, status, last_error: lastError };
}

/** The journal after a rollback, an undo or a redo: a new entry, and the two lists moved on. */
export function recordRollback(session: SessionDocument, done: FinishedRollback): SessionDocument {
  const { entry } = done;
  const record = { ...done.record, reason: redactReason(done.record.reason) };
  const line = lineOf(session, record.worktree_id);
  const epochs =
    record.epoch_after !== null && line.epochs[record.epoch_after] === undefined
      ? { ...line.epochs, [record.epoch_after]: done.base }
      : line.epochs;
  const rest = (list: readonly UndoEntry[]): readonly UndoEntry[] =>
    list.filter(({ rollback_id }) => rollback_id !== done.taken);
  const moved: WorkTreeLine = {
    epoch: record.epoch_after,
    epochs,
    undo: record.kind === "undo" ? rest(line.undo) : [...line.undo, entry].slice(-MOST_UNDOS),
    redo:
      record.kind === "rollback"
        ? []
        : record.kind === "undo"
          ? [...line.redo, entry]
          : rest(line.redo),
  };
  return {
    ...(done.workflow === undefined ? session : reopened(session, done.workflow, record.at)),
    updated_at: record.at,
    worktrees: { ...session.worktrees, [record.worktree_id]: moved },
    ...(done.state === undefined
      ? {}
      : { state: stateRecord(done.state.checkpointId, done.state.isWhole, session.state) }),
    ...latestHistory([...session.history, record]),
  };
}

function latestHistory(
  history: readonly RollbackRecord[],
): Pick<SessionDocument, "history" | "history_after"> {
  const last = history.at(-MOST_ROLLBACKS - 1);
  return last === undefined
    ? { history }
    : { history: history.slice(-MOST_ROLLBACKS), history_after: last.at };
}

/** To begin a stand-in with. What could be undone may have been undone, or followed by something else, in the version that cannot be read. */
export function standInOf(lastGood: SessionDocument): SessionDocument {
  const worktrees = Object.entries(lastGood.worktrees).map(([id, line]): [string, WorkTreeLine] => [
    id,
    { ...line, undo: [], redo: [] },
  ]);
  return { ...lastGood, worktrees: Object.fromEntries(worktrees) };
}

/** A session with what was written to its stand-in. */
export function withStandIn(session: SessionDocument, standIn: SessionDocument): SessionDocument {
  const worktrees: Record<string, WorkTreeLine> = { ...session.worktrees };
  for (const [id, line] of Object.entries(standIn.worktrees)) {
    const before = lineOf(session, id);
    const isMoved = line.undo.length + line.redo.length > 0 || line.epoch !== before.epoch;
    worktrees[id] = isMoved
      ? {
          epoch: line.epoch,
          epochs: { ...before.epochs, ...line.epochs },
          undo: [...before.undo, ...line.undo].slice(-MOST_UNDOS),
          redo: line.redo,
        }
      : before;
  }
  const known = new Set(session.history.map(({ id }) => id));
  const more = standIn.history.filter(({ id }) => !known.has(id));
  const events = [...(session.events ?? []), ...(standIn.events ?? [])];
  const isNew = (event: JournalEvent, at: number): boolean =>
    events.findIndex((other) => JSON.stringify(other) === JSON.stringify(event)) === at;
  return {
    ...session,
    updated_at: later(session.updated_at, standIn.updated_at),
    worktrees,
    ...latestHistory([...session.history, ...more]),
    events: events.filter(isNew).slice(-MOST_EVENTS),
    pinned: { ...session.pinned, ...standIn.pinned },
    trash: { ...session.trash, ...standIn.trash },
    corrupted: { ...session.corrupted, ...standIn.corrupted },
  };
}

const later = (one: string, other: string): string => (one > other ? one : other);
