import * as z from "zod";
import { PART_TYPES } from "../../../domain/parts.ts";
import { standingCheckpoint } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("checkpoint", "What `waymark show --json` prints.", {
  checkpoint: standingCheckpoint.extend({
    pin: z
      .looseObject({
        at: z.iso.datetime(),
        by: z.string().nullable(),
        reason: z.string().nullable(),
      })
      .nullable()
      .describe("Who pinned it, when and why; null: it is not pinned."),
  }),
  workflow: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe(
      "Progress of the workflow: phase, step, iteration, the status of phases and nodes; null: it contains none.",
    ),
  outputs: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("Outputs of the workflow, without what looks like a secret; null: none."),
  by_hand: z
    .array(
      z.looseObject({
        type: z.enum(PART_TYPES),
        summary: z.string().describe("What the part contains."),
        commands: z.array(z.string()).describe("Shell commands that restore it, in order."),
        prerequisites: z.array(z.string()).describe("What the commands require."),
      }),
    )
    .describe("What it contains besides the work tree, and how to restore that without Waymark."),
});
