/** What the documents about checkpoints have in common. */
import * as z from "zod";
import { checkpointSchema } from "../../../domain/checkpoint-schema.ts";

const standing = {
  valid: z
    .boolean()
    .describe("False: it was rolled past (its id still works), or it is damaged."),
  invalidated_by: z.string().nullable().describe("The rollback that rolled past it."),
  damaged: z.boolean().describe("True once damage was found."),
  problem: z.string().optional().describe("What was found."),
  corrupted_at: z.iso.datetime().optional().describe("When that was found."),
};

/** What a checkpoint is limited to. */
export const printedScope = z.looseObject({
  files: z.array(z.string()).describe('Files that it contains and restores, the first 1000; ["."]: all of the project.'),
  files_total: z.number().int().describe("How many there are."),
  patterns: z.array(z.string()).nullable().describe("What `--scope` named; null: all of the project."),
  state_keys: z.array(z.string()).describe("The keys of the state; empty: all of it."),
});

/** A checkpoint with its present standing in its session. */
export const standingCheckpoint = checkpointSchema.extend({
  ...standing,
  scope: printedScope
    .partial({ files: true, files_total: true })
    .optional()
    .describe("What it is limited to; a list names no files, and leaves it out where that is nothing."),
  pinned: z.boolean().describe("A pinned one is never cleaned up."),
  expired: z
    .boolean()
    .describe("True: `rollback` refuses it without --even-if-expired, and the next cleanup removes it."),
});

export const warnings = z.array(z.string()).describe("What a user should know, in words.");

/** A rollback that was killed. */
export const unfinishedRollback = z.looseObject({
  rollback_id: z.string(),
  target_id: z.string().describe("The checkpoint to restore; empty: nothing had started."),
  safety_id: z.string().nullable().describe("The checkpoint of the state before it."),
  since: z.iso.datetime(),
  phase: z.enum(["locking", "applying"]).describe("locking: nothing had been changed."),
  owner: z
    .looseObject({
      host: z.string(),
      pid: z.number().int(),
      may_be_at_work: z
        .boolean()
        .describe("True: it is on another machine or in a container, which cannot be inspected from here."),
    })
    .describe("The process that started it, or was recovering it."),
});

/** What became of an interrupted rollback. */
export const recovery = {
  outcome: z.enum(["taken_back", "finished"]),
  rollback: unfinishedRollback,
  kept: z
    .array(
      z.looseObject({ path: z.string(), kept_at: z.string().describe("Where the content is now.") }),
    )
    .describe("Files that other programs wrote meanwhile."),
  problems: z.array(z.string()).describe("What could not be repaired, and what to do manually."),
};

/** What agents are told about how far they can rely on an answer. */
export const grounding = {
  confidence: z
    .number()
    .min(0)
    .max(1)
    .describe("Confidence from 0 to 1, reduced by what the checks left open; docs/agent-contract.md has the table."),
  evidence_anchors: z.array(z.string()).describe("What proves it: ids, commands, files."),
  assumptions: z.array(z.string()).describe("What it relies on."),
};
