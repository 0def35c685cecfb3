import * as z from "zod";
import { unfinishedRollback } from "./checkpoint-fields-schema.ts";
import { agentName } from "./hooks-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const step = z
  .looseObject({
    rollback_id: z.string(),
    went_to: z.string().describe("The checkpoint that the rollback went to, as `undo` names it."),
    returns_to: z.string().describe("The checkpoint that would be restored."),
    reverts_later_work: z
      .boolean()
      .describe("The project was changed since; those changes would be reverted too."),
  })
  .nullable();

export const published = printedDocument("status", "What `waymark status --json` prints.", {
  branch: z.string().nullable().describe("Full name; null: a detached HEAD or a plain folder."),
  operation: z
    .looseObject({
      kind: z.enum(["merge", "cherry-pick", "revert", "rebase", "am", "bisect"]),
      conflicts: z.number().int().nonnegative().describe("Files with conflicts."),
    })
    .nullable()
    .describe("What git has begun and not ended."),
  session_id: z.string().nullable().describe("The session that was started here and can continue."),
  session_status: z.string().nullable(),
  phase: z.string().nullable(),
  step: z.number().int().nullable(),
  checkpoints: z.number().int().nonnegative().describe("Of this work tree."),
  damaged: z
    .number()
    .int()
    .nonnegative()
    .describe("Those of them that are known to be damaged; `waymark validate` looks at all."),
  newer: z.number().int().nonnegative().describe("Those that a newer Waymark wrote."),
  last_checkpoint: z.looseObject({ id: z.string() }).nullable().describe("Where the project is."),
  changed_since: z
    .looseObject({
      files: z.number().int().nonnegative(),
      added: z.number().int().nonnegative(),
      removed: z.number().int().nonnegative(),
      commits: z.number().int().nonnegative().describe("Number of commits that HEAD has gained."),
    })
    .nullable()
    .describe("From the last checkpoint to now, in lines."),
  undo: step,
  redo: step,
  unfinished_rollback: unfinishedRollback.nullable(),
  stopped: z
    .looseObject({
      kind: z.enum(["failed", "interrupted", "paused"]),
      phase: z.string().nullable(),
    })
    .nullable()
    .describe("Unfinished work of the session that no process is running; `resume_command` continues it."),
  interrupted: z.boolean().describe("`stopped`, and no phase failed."),
  resume_command: z.string().nullable(),
  agents: z
    .array(
      z.looseObject({
        agent: agentName,
        hooks_installed: z.boolean(),
        trust: z.enum(["trusted", "not_trusted", "off", "unknown"]),
      }),
    )
    .describe("Those that this project or this machine has."),
});
