/** What the documents about sessions have in common. */
import * as z from "zod";
import { lease, sessionError } from "../../../domain/session-schema.ts";

const text = z.string().nullable();
const count = z.number().int().nonnegative();

export const sessionSummary = z.looseObject({
  id: z.string(),
  implicit: z.boolean().describe("True for an implicit one, such as the work tree's own."),
  current: z.boolean().describe("True for the one that commands in this work tree work with."),
  workflow_type: text,
  project_name: text,
  description: text,
  topic: text,
  task_id: text,
  issue_number: z.number().int().nullable(),
  status: z.string().describe("active, paused, interrupted, completed, failed or abandoned."),
  created_at: z.string(),
  updated_at: z.string(),
  ended_at: text,
  archived_at: text.describe("When it was archived; null: it is not."),
  last_activity_at: z.string().describe("Its last change or its last checkpoint."),
  branch: text.describe("Full name of the branch that it was started on."),
  worktree_id: text,
  current_phase: text,
  current_step: count.nullable(),
  total_phases: count,
  completed_phases: count.describe("Skipped ones too."),
  progress: z.looseObject({ completed: count, skipped: count, total: count, percent: count }),
  checkpoint_count: count.describe("Without the safety checkpoints of rollbacks."),
  last_checkpoint_at: text,
  last_error: sessionError.nullable(),
  lease: lease.extend({
    alive: z
      .boolean()
      .nullable()
      .describe("Whether a process runs it; null: it is on another machine, so unknown."),
  }),
});
