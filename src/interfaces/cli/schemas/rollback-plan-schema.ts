/** What a rollback does, step by step. */
import * as z from "zod";
import { EXCLUSION_REASONS } from "../../../domain/checkpoint.ts";
import { PART_TYPES } from "../../../domain/parts.ts";
import { KEPT_REASONS } from "../../../domain/selective/replay.ts";
import { taskRecord } from "../../../domain/session-schema.ts";

const paths = z.array(z.string());
const commit = z.string().nullable();
const step = z.number().int().nullable();

const position = z.looseObject({
  branch: z.string().nullable().describe("Full ref name; null: detached."),
  commit,
});

const refMove = z.looseObject({
  name: z.string(),
  from: commit.describe("Null: the ref does not exist."),
  to: commit.describe("Null: the ref is deleted."),
});

export const leavingCommits = z.array(
  z.looseObject({ branch: z.string(), commit: z.string(), subject: z.string() }),
);

/** What a rollback that nobody asked for did not bring back. */
export const keptMeanwhile = z.array(
  z.looseObject({
    path: z.string(),
    reason: z
      .enum(["changed_meanwhile", "elsewhere"])
      .describe("elsewhere: it, or its copy, is on another machine."),
    summary: z.string().optional().describe("Why it was kept, in words."),
    kept_at: z.string().optional().describe("Where the content written by another program is stored."),
  }),
);

export const keepReason = z.enum(EXCLUSION_REASONS);

export const notRestored = z
  .array(
    z.looseObject({
      path: z.string(),
      reason: keepReason,
      detail: z.string().optional(),
      missing: z.boolean().optional().describe("True when the file is not on the disk either."),
    }),
  )
  .describe(
    "Files that checkpoints do not contain although the user did not exclude them: secrets, files that are too large … They are not restored.",
  );

export const rollbackPlan = z.looseObject({
  target_id: z.string().describe("The checkpoint to restore."),
  write: z
    .array(z.looseObject({ path: z.string(), operation: z.enum(["restore", "change"]) }))
    .describe("Files that are created (restore) or get their earlier content (change)."),
  remove: paths.describe("Files that did not exist then."),
  mode: paths.describe("Files whose permissions change, but not their content."),
  keep: z
    .array(z.looseObject({ path: z.string(), reason: keepReason }))
    .describe("Files that did not exist then and are kept."),
  not_restored: notRestored,
  make_folders: paths.describe("Empty folders that are restored."),
  remove_folders: paths.describe("Folders that are removed if they are empty then."),
  head: z
    .looseObject({
      from: position,
      to: position,
      move: refMove.nullable().describe("The branch that moves, is created again or is deleted."),
    })
    .nullable()
    .describe("Null: HEAD stays."),
  refs: z.array(refMove).describe("Other refs that move."),
  index: z.boolean().describe("True when the index is restored."),
  operation: z.boolean().describe("True when the state of a merge, rebase … changes."),
  operation_left: z
    .string()
    .nullable()
    .describe("With --keep-head: what is kept or not restored of a merge, rebase …; null: nothing."),
  parts: z
    .array(
      z.looseObject({
        type: z.enum(PART_TYPES),
        changes: z.array(
          z.looseObject({ what: z.string(), operation: z.string(), summary: z.string() }),
        ),
        kept: z.array(z.looseObject({ what: z.string(), reason: z.string() })),
      }),
    )
    .describe("What changes beside the work tree."),
  task: taskRecord
    .omit({ kept: true, problems: true })
    .extend({
      changes: z.array(z.string()).describe("In words; empty: nothing changes."),
      problem: z.string().nullable().describe("Why its file cannot be read now."),
    })
    .nullable()
    .describe("The task of Backlog.md; null: the checkpoint contains none, or it was not requested."),
  steps: z
    .looseObject({
      from_step: step,
      from_phase: z.string().nullable(),
      to_step: step,
      to_phase: z.string().nullable(),
      next_step: step.describe("The step that the session continues from; null: none is left."),
      discards: z
        .looseObject({ first: z.number().int(), last: z.number().int() })
        .nullable()
        .describe("Steps that are discarded; null: none."),
    })
    .nullable()
    .describe("Null: the progress of no session is restored, or it has no steps."),
  hooks_removed: z
    .array(z.looseObject({ agent: z.string(), path: z.string() }))
    .describe("Files from which Waymark's hooks of an agent disappear: they were installed later. `waymark hooks install AGENT` reinstalls them."),
  commits_leaving: leavingCommits.describe("Commits that are dropped from a branch."),
  touched: z.number().int().nonnegative().describe("How many files are written, removed, changed."),
});

/** With `--only-session` and `--only-paths-of`. */
export const selective = z
  .looseObject({
    session: z.string().describe("The session whose work is undone."),
    agent: z.string().nullable().describe("Null: a session of Waymark."),
    by: z.enum(["lines", "paths"]).describe("paths: whole files that no other session changed."),
    since: z.string().describe("The checkpoint at which its first step began."),
    steps: z.number().int().nonnegative(),
    taken_back: paths.describe("Files that change."),
    merged: paths.describe("Of these, files in which changes of others are kept."),
    commits_kept: z
      .array(z.looseObject({ commit: z.string(), subject: z.string() }))
      .describe("Commits made while it was working: they are kept."),
  })
  .optional()
  .describe("Set when only the work of one session is undone.");

export const selectiveKept = z.looseObject({
  path: z.string(),
  reason: z.enum(KEPT_REASONS),
  summary: z.string(),
});
