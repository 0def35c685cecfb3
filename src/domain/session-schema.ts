/** The session document, as `refs/waymark/session/<id>` stores it. */
import * as z from "zod";
import { EVENT_KINDS, ROLLBACK_KINDS } from "./session.ts";
import { TASK_FOLDERS } from "./task.ts";

const text = z.string().nullable();
const at = z.iso.datetime();

const folder = z.enum(TASK_FOLDERS).nullable();
const labels = z.array(z.string()).nullable();

/** Also what `rollback --json` says about it. */
export const taskRecord = z.looseObject({
  id: z.string(),
  status_before: text.describe("Null, as with the others: there was no such task, or no status."),
  status_after: text,
  labels_before: labels,
  labels_after: labels,
  folder_before: folder,
  folder_after: folder,
  kept: z.array(z.string()).describe("What of it stayed as it was."),
  problems: z.array(z.string()).describe("What did not come back, and what to do by hand."),
});

const rollbackRecord = z.looseObject({
  id: z.string().describe("The id of the rollback."),
  kind: z.enum(ROLLBACK_KINDS),
  worktree_id: z.string(),
  at,
  by: text.describe("The user."),
  reason: text,
  from_id: text.describe("The latest checkpoint before the rollback."),
  to_id: z.string().describe("The checkpoint that it went to."),
  safety_id: z.string().describe("The checkpoint of the state before it."),
  epoch_before: text,
  epoch_after: text,
  files: z.number().int().nonnegative().describe("Files that it touched."),
  task: taskRecord.optional().describe("What became of the task of Backlog.md."),
});

const undoEntry = z.looseObject({
  rollback_id: z.string(),
  return_id: z.string().describe("The checkpoint that undo (or redo) goes to."),
  to_id: z.string().describe("The checkpoint that the rollback went to."),
  result: z
    .string()
    .describe("What the project looked like right after: tells whether work was done since."),
  epoch_before: text,
  epoch_after: text,
  files_only: z.boolean(),
  paths: z.array(z.string()).nullable().describe("Only these paths; null: everything."),
  keep_head: z.boolean(),
  scope: z.array(z.string()).optional().describe("Patterns that it was limited to."),
});

const epochBase = z.looseObject({
  base_id: z.string().describe("The checkpoint that the epoch began at."),
  seq: z.number().int(),
  epoch: text.describe("The epoch of that checkpoint."),
  created_at: at,
  is_own: z.boolean().describe("False: it belongs to another session or work tree."),
});

const line = z.looseObject({
  epoch: text.describe("The rollback after which work goes on; null: none yet."),
  epochs: z.record(z.string(), epochBase).describe("Where each epoch began."),
  undo: z.array(undoEntry).describe("Rollbacks that can be undone, the next one last."),
  redo: z.array(undoEntry).describe("Undone ones that can be redone, the next one last."),
});

const journalEvent = z.looseObject({
  kind: z.enum(EVENT_KINDS),
  at,
  by: text,
  reason: text,
  checkpoint_ids: z.array(z.string()),
  details: z.record(z.string(), z.unknown()).optional(),
});

const note = { at, by: text };

export const sessionSchema = z.looseObject({
  schema_version: z.literal(1),
  id: z.string().min(1),
  implicit: z.boolean().describe("True for the work tree's own session, which nobody started."),
  status: z.string(),
  created_at: at,
  updated_at: at,
  worktrees: z
    .record(z.string(), line)
    .describe("By work tree: `main`, or the name of a linked one."),
  history: z.array(rollbackRecord).describe("Every rollback, undo and redo, oldest first."),
  events: z
    .array(journalEvent)
    .optional()
    .describe("What else was done to checkpoints; the latest 1000."),
  pinned: z
    .record(z.string(), z.looseObject({ ...note, reason: text }))
    .optional()
    .describe("Checkpoints that cleanup keeps, by id."),
  trash: z
    .record(z.string(), z.looseObject({ ...note, why: z.string() }))
    .optional()
    .describe("Deleted checkpoints that can still be brought back, by id."),
  corrupted: z
    .record(z.string(), z.looseObject({ at, problems: z.array(z.string()) }))
    .optional()
    .describe("Checkpoints that `validate` found damaged, by id."),
});
