import * as z from "zod";
import { warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";
import { keptMeanwhile, leavingCommits, notRestored } from "./rollback-plan-schema.ts";

const step = {
  ok: z.boolean(),
  skipped: z.boolean().describe("Not run, because a step before it failed."),
  exit_code: z
    .number()
    .int()
    .nullable()
    .describe("128 and the number of the signal for one that was killed; null: it did not run."),
  signal: z.string().nullable(),
  timed_out: z.boolean(),
  error: z.string().nullable().describe("Why it could not be started."),
  duration_ms: z.number().nonnegative(),
};

const paths = z.array(z.string());

const attempt = z.looseObject({
  attempt: z.number().int().positive(),
  passed: z.boolean(),
  act: z.looseObject({ command: z.array(z.string()), ...step }),
  verify: z.array(z.looseObject({ command: z.string(), ...step })).describe("In order."),
  rolled_back: z.boolean(),
  rollback_id: z.string().nullable().describe("The id of the entry in the journal."),
  attempt_checkpoint_id: z
    .string()
    .nullable()
    .describe(
      "The checkpoint that contains what the attempt did; null: it was not rolled back, or changed nothing.",
    ),
  changes: z
    .looseObject({ created: paths, modified: paths, deleted: paths })
    .nullable()
    .describe("Files that the attempt changed; null: that could not be determined."),
  commits_left: leavingCommits.describe("Commits of the attempt; its checkpoint contains them."),
  kept: keptMeanwhile.describe("What other programs saved during the rollback of the attempt."),
  not_restored: notRestored,
});

export const published = printedDocument("guard", "What `waymark guard --json` prints.", {
  passed: z.boolean(),
  checkpoint_id: z.string().describe("The checkpoint of the state before."),
  rolled_back: z.boolean().describe("True: the project was restored, except for `kept` of the last attempt."),
  interrupted_by: z.string().nullable().describe("The signal that ended it."),
  attempts: z.array(attempt).min(1),
  restore_command: z.string().describe("Restores the state before."),
  undo_command: z.string().nullable().describe("Restores the last attempt; null: there is nothing to undo."),
  warnings,
});
