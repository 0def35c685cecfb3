import * as z from "zod";
import { standingCheckpoint, unfinishedRollback } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const readable = standingCheckpoint.extend({
  current: z.boolean().describe("True for the one that the last create or rollback left this work tree at."),
  from_now: z
    .looseObject({
      files: z.number().int(),
      added: z.number().int().describe("Lines."),
      removed: z.number().int().describe("Lines."),
    })
    .optional()
    .describe("With --stat: what a rollback of the files would change."),
});

const damaged = z.looseObject({
  id: z.string(),
  valid: z.literal(false),
  damaged: z.literal(true),
  problem: z.string().describe("What is wrong with it."),
});

const newer = z.looseObject({
  id: z.string(),
  valid: z.literal(false),
  damaged: z.literal(false),
  newer: z.literal(true).describe("It was written by a newer Waymark."),
  schema_version: z.number().int(),
});

export const published = printedDocument("checkpoint_list", "What `waymark list --json` prints.", {
  session_id: z.string().describe("The session that was asked for, else the one that commands work with here."),
  checkpoints: z.array(z.union([readable, damaged, newer])).describe("Newest first."),
  unfinished_rollback: unfinishedRollback
    .nullable()
    .describe("An interrupted rollback; `waymark recover` finishes or reverts it."),
});
