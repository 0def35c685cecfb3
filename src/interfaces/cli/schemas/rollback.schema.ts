import * as z from "zod";
import { taskRecord } from "../../../domain/session-schema.ts";
import { grounding, recovery, warnings } from "./checkpoint-fields-schema.ts";
import { keepReason, leavingCommits,
  notRestored, rollbackPlan, selective, selectiveKept } from "./rollback-plan-schema.ts";
import { printedDocument } from "./published-schema.ts";

const change = z.looseObject({
  file: z.string(),
  operation: z.enum(["restored", "changed_back", "removed", "mode_changed_back"]),
  summary: z.string(),
});

const kept = z.looseObject({
  path: z.string(),
  reason: z
    .union([
      keepReason,
      z.literal("changed_meanwhile"),
      z.literal("elsewhere"),
      selectiveKept.shape.reason,
    ])
    .describe(
      "Why it was kept; changed_meanwhile: another program wrote it during the rollback; elsewhere: it, or its copy, is on another machine; " +
        "changed_since: others changed the same lines; not_told_apart: another author is possible; " +
        "step_lost: the record or the checkpoint of a step that may have done it no longer exists; " +
        "not_known: a checkpoint in between does not contain it; in_the_way: something else is in its place.",
    ),
  summary: z.string().optional().describe("Why it was kept, in words."),
  kept_at: z.string().optional().describe("Where the content written by another program is stored."),
});

export const published = printedDocument(
  "rollback",
  "What `waymark rollback`, `undo` and `redo` print with --json.",
  {
    rolled_back: z.boolean().describe("False: nothing differed from the checkpoint, so nothing was done."),
    unchanged: z.boolean().describe("True if nothing differed: no checkpoint was created, and there is nothing to undo."),
    session_id: z.string().describe("The session that was rolled back."),
    rollback_id: z.string().nullable().describe("The id of the entry in the journal; null: nothing was done."),
    operation: z.enum(["rollback", "undo", "redo"]),
    restored_to: z.string().describe("The checkpoint that was restored."),
    changes_reverted: z.array(change),
    kept: z.array(kept).describe("What was not touched, and why."),
    not_restored: notRestored,
    task: taskRecord
      .nullable()
      .describe("The task of Backlog.md; null: the checkpoint contains none, or it was not requested."),
    selective,
    commits_left: leavingCommits.describe("Commits dropped from a branch; the undo checkpoint contains them."),
    plan: rollbackPlan,
    verification: z.looseObject({
      match: z.boolean().describe("False: files that others wrote meanwhile were kept."),
      pre_state_hash: z.string().describe("Content hash before."),
      post_state_hash: z.string().describe("Content hash after."),
      checkpoint_hash: z.string().describe("Content hash of the checkpoint."),
    }),
    undo_checkpoint_id: z.string().nullable().describe("The checkpoint of the state before; null: nothing was done."),
    undo_command: z.string().nullable(),
    became_invalid: z
      .array(z.string())
      .optional()
      .describe("Later checkpoints of this line; undo reverts this."),
    next_actions: z.array(z.string()).describe("What to do now."),
    ...grounding,
    warnings,
    recovered: z
      .looseObject(recovery)
      .nullable()
      .describe("An interrupted rollback that was finished or reverted first."),
  },
);
