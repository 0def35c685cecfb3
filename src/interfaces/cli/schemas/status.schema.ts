import * as z from "zod";
import { unfinishedRollback } from "./checkpoint-fields-schema.ts";
import { agentName } from "./hooks-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const step = z
  .looseObject({
    rollback_id: z.string(),
    went_to: z.string().describe("The checkpoint that the rollback went to."),
    returns_to: z.string().describe("The checkpoint that would be restored."),
  })
  .nullable();

export const published = printedDocument("status", "What `waymark status --json` prints.", {
  branch: z.string().nullable().describe("Full name; null: a detached HEAD or a plain folder."),
  session_id: z.string().nullable().describe("The session that was started here and has not ended."),
  session_status: z.string().nullable(),
  phase: z.string().nullable(),
  step: z.number().int().nullable(),
  checkpoints: z.number().int().nonnegative().describe("Of this work tree."),
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
  interrupted: z.boolean().describe("The session's workflow was under way, and no process runs it."),
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
