import * as z from "zod";
import { rollbackPlan, selective, selectiveKept } from "./rollback-plan-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "rollback_plan",
  "What `waymark rollback --dry-run --json` prints, and `rollback --only-session --json` where there is nothing to take back.",
  {
    dry_run: z.boolean().describe("False: nothing was left to take back, so nothing was done."),
    rolled_back: z.literal(false),
    plan: rollbackPlan,
    becomes_invalid: z.array(z.string()).describe("Later checkpoints of this line."),
    selective,
    kept: z
      .array(selectiveKept)
      .optional()
      .describe("Files that the session changed and that stay as they are."),
  },
);
