import * as z from "zod";
import { checkpointSchema } from "../../../domain/checkpoint-schema.ts";
import { PART_TYPES } from "../../../domain/parts.ts";
import { grounding, printedScope, warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "checkpoint_created",
  "What `waymark create --json` prints.",
  {
    checkpoint_created: z.boolean().describe("True if a new checkpoint was created."),
    unchanged: z
      .boolean()
      .describe("True when nothing changed since the last one, which is `checkpoint` then."),
    checkpoint: checkpointSchema
      .extend({
        type: z.enum(PART_TYPES).describe("Its type."),
        scope: printedScope,
        expiry: z.string().nullable().describe("When it expires; null: never."),
      })
      .describe("The new checkpoint, or the last one."),
    pre_mutation_state: z.looseObject({
      hash: z.string().describe("The content hash of the checkpoint."),
      summary: z.string().describe("A summary in words."),
    }),
    restore: z.looseObject({
      command: z.string().describe("Restores it without asking."),
      order: z.array(z.enum(PART_TYPES)).describe("The order in which the parts are restored."),
      prerequisites: z.array(z.string()).describe("What the command requires, such as a database that can be reached. `waymark show` prints the manual steps."),
    }),
    next_safe_actions: z.array(z.string()).describe("What is safe to do now."),
    ...grounding,
    warnings,
  },
);
