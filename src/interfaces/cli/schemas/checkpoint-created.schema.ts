import * as z from "zod";
import { checkpointSchema } from "../../../domain/checkpoint-schema.ts";
import { warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument(
  "checkpoint_created",
  "What `waymark create --json` prints.",
  {
    checkpoint_created: z.boolean().describe("True when a new checkpoint was made."),
    unchanged: z
      .boolean()
      .describe("True when nothing changed since the last one, which is `checkpoint` then."),
    checkpoint: checkpointSchema
      .extend({ type: z.string().nullable().describe("The type of its first part.") })
      .describe("The new checkpoint, or the last one."),
    pre_mutation_state: z.looseObject({
      hash: z.string().describe("The content hash of the checkpoint."),
      summary: z.string().describe("What it holds, in words."),
    }),
    warnings,
  },
);
