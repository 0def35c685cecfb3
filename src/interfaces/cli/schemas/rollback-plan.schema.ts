import * as z from "zod";
import { rollbackPlan } from "./rollback-plan-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "rollback_plan",
  "What `waymark rollback --dry-run --json` prints.",
  {
    dry_run: z.literal(true),
    rolled_back: z.literal(false),
    plan: rollbackPlan,
    becomes_invalid: z.array(z.string()).describe("Later checkpoints of this line."),
  },
);
