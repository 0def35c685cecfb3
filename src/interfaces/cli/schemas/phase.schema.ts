import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

const text = z.string().nullable();

export const published = printedDocument("phase", "What `waymark phase --json` prints.", {
  session_id: z.string(),
  phase: z.string(),
  step: z.number().int(),
  attempt: z.number().int().positive().describe("Number of the attempt of this phase in the session."),
  status: z.enum(["completed", "failed", "interrupted"]),
  exit_code: z.number().int().nullable().describe("Of the command."),
  signal: text,
  timed_out: z.boolean(),
  error: text.describe("Why it could not be started."),
  duration_ms: z.number().nonnegative(),
  checkpoint_before: text.describe("Null: the strategy asked for none."),
  checkpoint_after: text.describe("Null: it failed, or none was asked for."),
  checkpoint_interrupt: text.describe("The checkpoint of its partial work after an interruption or a timeout."),
  interrupted_by: text.describe("The signal that ended it."),
  problem: z
    .looseObject({ code: z.string(), message: z.string() })
    .nullable()
    .describe("It ended, but the checkpoint after it could not be created."),
  rollback_command: text.describe("Restores the state before the phase."),
  resume_command: text,
});
