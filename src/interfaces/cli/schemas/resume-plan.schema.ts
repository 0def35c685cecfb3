import * as z from "zod";
import { printedDocument } from "./published-schema.ts";
import { STALENESS_FIELDS } from "./staleness-fields-schema.ts";

const text = z.string().nullable();

const node = z.looseObject({
  id: z.string().describe("`phase/name`"),
  what: z
    .enum(["kept", "run", "run_again", "ask", "removed", "added", "changed", "left"])
    .describe(
      "kept: completed. run: it has not run yet. run_again: it started, did not succeed, and runs again. ask: needs a " +
        "decision. left: by decision, it does not run again. added, changed, removed: in the workflow file.",
    ),
  why: z.string(),
});

const decision = z.looseObject({
  about: z.enum(["files", "rest", "workflow_file", "nodes", "commands"]),
  what: z.array(z.string()).describe("In words, what it is about."),
  flags: z.array(z.string()).describe("Flags; any one of them decides it."),
});

const holder = z.looseObject({ host: z.string(), pid: z.number().int(), user: text });

export const published = printedDocument(
  "resume_plan",
  "What a resume does, or would do: what happened meanwhile, which nodes run and why, and what needs a decision.",
  {
    dry_run: z.boolean(),
    resumed: z.boolean().describe("True: the session was resumed; its events follow."),
    token: z.number().int().nullable().describe("Of the lease; null: nothing was resumed."),
    taken_over_from: holder.nullable().describe("The process that ended without releasing it."),
    undo_checkpoint_id: text.describe("The state before the rollback."),
    ...STALENESS_FIELDS,
    status: z.string().describe("Of the session, before the resume."),
    description: text,
    created_at: z.string(),
    updated_at: z.string(),
    progress: z.looseObject({
      completed: z.number().int(),
      skipped: z.number().int(),
      total: z.number().int(),
      percent: z.number(),
    }),
    workflow_file: text.describe("Null: its phases are run from outside."),
    by: z.enum(["recorded", "current"]).nullable(),
    rollback_to: text.describe("The checkpoint that is rolled back to first."),
    nodes: z.array(node),
    commands: z
      .array(
        z.looseObject({
          phase: z.string(),
          node: text.describe("Null: a line of the whole phase."),
          kind: z.enum(["run", "verify", "resolver", "metrics"]),
          line: z.string(),
          cwd: z.string().describe("Relative to the root of the project."),
          env: z.record(z.string(), z.string()),
        }),
      )
      .describe("The shell commands that may run; all of them if commands_trusted is false."),
    commands_trusted: z
      .boolean()
      .describe("False: they were never started or confirmed on this machine."),
    commands_digest: text.describe("What --trust-commands takes; null: there is no workflow file."),
    decisions: z.array(decision).describe("Empty: it can continue."),
    next_phase: z
      .looseObject({
        phase: z.string(),
        why: z.string(),
        command: text.describe("The command line that ran it before."),
        checkpoint_before: text,
      })
      .nullable(),
    instead: z
      .looseObject({ checkpoint_id: z.string(), nodes: z.array(node) })
      .nullable()
      .describe("If a checkpoint is damaged: what continuing from the last valid one would mean."),
  },
);
