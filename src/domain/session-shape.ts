/**
 * What a session document must look like to be read. Others write sessions too, and archives bring them: whatever fits can be
 * worked with, and nothing else is.
 */
import {
  isAnyRecord,
  isBoolean,
  isCount,
  isInstant,
  isNumber,
  isText,
  listOf,
  oneOf,
  orMissing,
  orNull,
  recordOf,
  recordWith,
  type Shape,
} from "./json-shape.ts";
import {
  ROLLBACK_KINDS,
  type EpochBase,
  type RollbackRecord,
  type SessionDocument,
  type UndoEntry,
  type WorkTreeLine,
} from "./session.ts";
import type { Lease, LeaseHolder } from "./workflow/lease.ts";
import { SESSION_STATUSES } from "./workflow/session-status.ts";
import { MODIFIED_FILE, PROGRESS_SHAPE, type ShapeOf } from "./workflow/progress-shape.ts";

const isTextOrNull = orNull(isText);
const isTexts = listOf(isText);

const ROLLBACK: ShapeOf<RollbackRecord> = {
  id: isText,
  kind: oneOf(ROLLBACK_KINDS),
  worktree_id: isText,
  at: isInstant,
  turn: orMissing(isNumber),
  by: isTextOrNull,
  reason: isTextOrNull,
  from_id: isTextOrNull,
  to_id: isText,
  safety_id: isText,
  epoch_before: isTextOrNull,
  epoch_after: isTextOrNull,
  from_step: orMissing(orNull(isNumber)),
  to_step: orMissing(orNull(isNumber)),
  files: isNumber,
  task: orMissing(recordWith({ id: isText, kept: isTexts, problems: isTexts })),
  selective: orMissing(recordWith({ session: isText, since_id: isText, steps: isNumber })),
};

const UNDO: ShapeOf<UndoEntry> = {
  rollback_id: isText,
  return_id: isText,
  to_id: isText,
  result: isText,
  epoch_before: isTextOrNull,
  epoch_after: isTextOrNull,
  files_only: isBoolean,
  state_only: orMissing(isBoolean),
  database_only: orMissing(isBoolean),
  paths: orNull(isTexts),
  keep_head: isBoolean,
  scope: orMissing(isTexts),
  beside: orMissing(isTexts),
};

const EPOCH: ShapeOf<EpochBase> = {
  base_id: isText,
  seq: isNumber,
  epoch: isTextOrNull,
  created_at: isInstant,
  is_own: isBoolean,
  left: orMissing(isTextOrNull),
};

const LINE: ShapeOf<WorkTreeLine> = {
  epoch: isTextOrNull,
  epochs: recordOf(recordWith(EPOCH)),
  undo: listOf(recordWith(UNDO)),
  redo: listOf(recordWith(UNDO)),
};

/** Kinds of later writers are shown as they are. */
const EVENT = recordWith({
  kind: isText,
  at: isInstant,
  by: isTextOrNull,
  reason: isTextOrNull,
  checkpoint_ids: isTexts,
  details: orMissing(isAnyRecord),
});

const NOTE = { at: isText, by: isTextOrNull };

const HOLDER: ShapeOf<LeaseHolder> = {
  host: isText,
  boot: isText,
  pid: isCount,
  started: isText,
  pid_namespace: orMissing(isText),
  user: isTextOrNull,
};

const LEASE: ShapeOf<Lease> = {
  token: isCount,
  holder: orNull(recordWith(HOLDER)),
  purpose: isTextOrNull,
  acquired_at: orNull(isInstant),
  renewed_at: orNull(isInstant),
  ttl_ms: isNumber,
};

const STATE: Shape = recordWith({
  checkpoint_id: isText,
  over: orMissing((value) => STATE(value)),
});

export const SESSION_ERROR: Shape = recordWith({
  at: isText,
  phase: isTextOrNull,
  node: isTextOrNull,
  message: isText,
  hint: orMissing(isText),
});

const SESSION: ShapeOf<SessionDocument> = {
  schema_version: isCount,
  id: isText,
  implicit: isBoolean,
  status: oneOf(SESSION_STATUSES),
  created_at: isInstant,
  updated_at: isInstant,
  worktrees: recordOf(recordWith(LINE)),
  history: listOf(recordWith(ROLLBACK)),
  history_after: orMissing(isInstant),
  events: orMissing(listOf(EVENT)),
  pinned: orMissing(recordOf(recordWith({ ...NOTE, reason: isTextOrNull }))),
  trash: orMissing(recordOf(recordWith({ ...NOTE, why: isText }))),
  corrupted: orMissing(recordOf(recordWith({ at: isText, problems: isTexts }))),
  state: orMissing(STATE),
  workflow_type: orMissing(isText),
  project_name: orMissing(isText),
  description: orMissing(isText),
  topic: orMissing(isText),
  task_id: orMissing(isText),
  issue_number: orMissing(isNumber),
  issue_snapshot: orMissing(
    recordWith({
      number: isNumber,
      title: isText,
      body: isText,
      body_cut: orMissing(isText),
      labels: isTexts,
      assignees: isTexts,
      branch: isTextOrNull,
      state: orMissing(isText),
      url: orMissing(isText),
      taken_at: isText,
    }),
  ),
  branch: orMissing(isTextOrNull),
  worktree_id: orMissing(isText),
  definition: orMissing(recordWith({ path: isText, digest: isText, text: isText })),
  workflow: orMissing(recordWith(PROGRESS_SHAPE)),
  lease: orMissing(recordWith(LEASE)),
  last_error: orMissing(orNull(SESSION_ERROR)),
  ended_at: orMissing(isInstant),
  files_at_end: orMissing(listOf(MODIFIED_FILE)),
  archived_at: orMissing(isInstant),
  deleted_at: orMissing(isInstant),
  requests: orMissing(
    listOf(recordWith({ id: isText, at: isText, by: isTextOrNull, command: isText })),
  ),
  breakpoint: orMissing(recordWith({ phase: isText, next: isTextOrNull })),
};

/** Where the first thing is that does not fit; undefined: it is a session. */
export const sessionProblem: Shape = recordWith(SESSION);
