import * as z from "zod";
import { TRIGGERS } from "../../../domain/checkpoint.ts";
import { rollbackPlan, selective, selectiveKept } from "./rollback-plan-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "rollback_plan",
  "What `waymark rollback --dry-run --json` prints, and `rollback --only-session --json` if there is nothing to undo.",
  {
    dry_run: z.boolean().describe("False: nothing was left to undo, so nothing was done."),
    rolled_back: z.literal(false),
    checkpoint: z
      .looseObject({
        id: z.string(),
        trigger: z.enum(TRIGGERS),
        phase: z.string().nullable(),
        step: z.number().int().nullable(),
        task_id: z.string().nullable(),
        commit: z.string().nullable(),
      })
      .optional()
      .describe("The checkpoint to restore, and what it was taken for."),
    plan: rollbackPlan,
    needs: z
      .array(z.string())
      .optional()
      .describe("Flags without which it will be refused, besides --yes: --discard-commits, or --keep-head instead."),
    becomes_invalid: z.array(z.string()).describe("Later checkpoints of this line."),
    selective,
    kept: z
      .array(selectiveKept)
      .optional()
      .describe("Files that the session changed and that stay as they are."),
  },
);
