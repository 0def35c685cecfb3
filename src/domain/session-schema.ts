/** The session document, as `refs/waymark/session/<id>` stores it. */
import * as z from "zod";
import { EVENT_KINDS, ROLLBACK_KINDS } from "./session.ts";
import { TASK_FOLDERS } from "./task.ts";
import { progressSchema } from "./workflow/progress-schema.ts";
import { SESSION_STATUSES } from "./workflow/session-status.ts";

const text = z.string().nullable();
const at = z.iso.datetime();
const step = z.number().int().nullable().optional();

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
  kept: z.array(z.string()).describe("What was kept of it."),
  problems: z.array(z.string()).describe("What was not restored, and what to do manually."),
});

export const rollbackRecord = z.looseObject({
  id: z.string().describe("The id of the rollback."),
  kind: z.enum(ROLLBACK_KINDS),
  worktree_id: z.string(),
  at,
  turn: z
    .number()
    .int()
    .positive()
    .optional()
    .describe("Counts the rollbacks of the work tree over all sessions."),
  by: text.describe("The user."),
  reason: text,
  from_id: text.describe("The latest checkpoint before the rollback."),
  to_id: z.string().describe("The checkpoint that it went to."),
  safety_id: z.string().describe("The checkpoint of the state before it."),
  epoch_before: text,
  epoch_after: text,
  from_step: step.describe("The session's step before; set when its progress was restored."),
  to_step: step.describe("The step of the checkpoint."),
  files: z.number().int().nonnegative().describe("Files that it touched."),
  task: taskRecord.optional().describe("What happened to the Backlog.md task."),
  selective: z
    .looseObject({
      session: z.string().describe("An agent's session, or one of Waymark."),
      by: z.enum(["lines", "paths"]),
      since_id: z.string().describe("The checkpoint from which its steps were undone."),
      steps: z.number().int().nonnegative(),
    })
    .optional()
    .describe("It undid only the work of one session."),
});

const undoEntry = z.looseObject({
  rollback_id: z.string(),
  return_id: z.string().describe("The checkpoint that undo (or redo) goes to."),
  to_id: z.string().describe("The checkpoint that the rollback went to."),
  result: z
    .string()
    .describe("The state of the project right after it; shows whether anything changed since."),
  epoch_before: text,
  epoch_after: text,
  files_only: z.boolean(),
  paths: z.array(z.string()).nullable().describe("Only these paths; null: everything."),
  keep_head: z.boolean(),
  scope: z.array(z.string()).optional().describe("Patterns that it was limited to."),
  beside: z
    .array(z.string())
    .optional()
    .describe(
      "Logs of SQLite databases that were replaced or removed with their files, inside and outside its limits.",
    ),
});

const epochBase = z.looseObject({
  base_id: z.string().describe("The checkpoint at which the epoch started."),
  seq: z.number().int(),
  epoch: text.describe("The epoch of that checkpoint."),
  created_at: at,
  is_own: z.boolean().describe("False: it belongs to another session or work tree."),
  left: text.optional().describe("The epoch that was left for it."),
});

const line = z.looseObject({
  epoch: text.describe("The rollback after which work continues; null: none yet."),
  epochs: z.record(z.string(), epochBase).describe("Where each epoch started."),
  undo: z
    .array(undoEntry)
    .describe("Rollbacks that can be undone, the next one last; the latest 100."),
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

const stateRecord: z.ZodType = z.looseObject({
  checkpoint_id: z.string(),
  get over() {
    return stateRecord.optional();
  },
});

export const issueSnapshot = z.looseObject({
  number: z.number().int(),
  title: z.string(),
  body: z.string(),
  labels: z.array(z.string()),
  assignees: z.array(z.string()),
  branch: text.describe("The branch that the work is on."),
  state: z.string().optional(),
  url: z.string().optional(),
  taken_at: z.string(),
});

export const workflowDefinition = z.looseObject({
  path: z.string().describe("From the root of the project, or absolute when it is outside."),
  digest: z.string().describe("`sha256:` of the text."),
  text: z.string(),
});

export const lease = z.looseObject({
  token: z
    .number()
    .int()
    .nonnegative()
    .describe("Grows with every change of owner, and is never reset."),
  holder: z
    .looseObject({
      host: z.string(),
      boot: z.string(),
      pid: z.number().int(),
      started: z.string(),
      pid_namespace: z
        .string()
        .optional()
        .describe(
          "On Linux: the namespace of the process id; a container or a sandbox has its own.",
        ),
      user: text,
    })
    .nullable()
    .describe("The process that runs it; null: none."),
  purpose: text.describe("What it is run for."),
  acquired_at: text,
  renewed_at: text.describe("The last heartbeat."),
  ttl_ms: z.number(),
});

export const sessionError = z.looseObject({
  at: z.string(),
  phase: text,
  node: text,
  message: z.string(),
  hint: z.string().optional(),
});

export const sessionRequest = z.looseObject({
  id: z.string(),
  at: z.string(),
  by: text,
  command: z.string().describe("As typed in the observer: `*pause`."),
});

export const sessionSchema = z.looseObject({
  schema_version: z.literal(1),
  id: z.string().min(1),
  implicit: z.boolean().describe("True for the work tree's own, implicit session."),
  status: z.string().describe(`One of ${SESSION_STATUSES.join(", ")}.`),
  created_at: at,
  updated_at: at,
  worktrees: z
    .record(z.string(), line)
    .describe("By work tree: `main`, or the name of a linked one."),
  history: z
    .array(rollbackRecord)
    .describe("Rollbacks, undos and redos, oldest first; the latest 1000."),
  history_after: at
    .optional()
    .describe(
      "Time of the newest entry that is no longer in the history; earlier versions of the document have it.",
    ),
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
    .describe("Deleted checkpoints that can still be restored, by id."),
  corrupted: z
    .record(z.string(), z.looseObject({ at, problems: z.array(z.string()) }))
    .optional()
    .describe("Checkpoints that `validate` found damaged, by id."),
  state: stateRecord
    .optional()
    .describe("The checkpoint with the state that was saved from outside, replacing an older one."),
  workflow_type: z.string().optional(),
  project_name: z.string().optional(),
  description: z.string().optional(),
  topic: z.string().optional(),
  task_id: z.string().optional(),
  issue_number: z.number().int().optional(),
  issue_snapshot: issueSnapshot.optional().describe("The issue as last read."),
  branch: text.optional().describe("Full name of the branch that it was started on; null: none."),
  worktree_id: z.string().optional().describe("The work tree that it runs in."),
  definition: workflowDefinition.optional().describe("The workflow file that it was started with."),
  workflow: progressSchema.optional().describe("Its progress; absent if it is not a workflow."),
  lease: lease.optional().describe("Who runs it."),
  last_error: sessionError.nullable().optional(),
  ended_at: z.string().optional(),
  deleted_at: z
    .string()
    .optional()
    .describe("Deleted explicitly: it is kept until its checkpoints are removed from the trash."),
  archived_at: z.string().optional().describe("Archived: it failed, or was started over."),
  requests: z
    .array(sessionRequest)
    .optional()
    .describe("Requests of other processes to its owner, oldest first."),
  breakpoint: z
    .looseObject({ phase: z.string(), next: text })
    .optional()
    .describe("Where its run waits for an answer, and the phase that comes next."),
});
