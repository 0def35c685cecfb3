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
      .describe("Who pinned it, when and why; null: nobody did."),
  }),
  by_hand: z
    .array(
      z.looseObject({
        type: z.enum(PART_TYPES),
        summary: z.string().describe("What the part holds."),
        commands: z.array(z.string()).describe("Shell commands that bring it back, in order."),
        prerequisites: z.array(z.string()).describe("What has to be so before they are run."),
      }),
    )
    .describe("What it holds beside the work tree, and how to bring it back without Waymark."),
});
