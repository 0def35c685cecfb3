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
      "How far the workflow had come: phase, step, iteration, the status of phases and nodes; null: it holds no workflow.",
    ),
  outputs: z
    .record(z.string(), z.unknown())
    .nullable()
    .describe("What the workflow had put out, without what looks like a secret; null: none."),
  by_hand: z
    .array(
      z.looseObject({
        type: z.enum(PART_TYPES),
        summary: z.string().describe("What the part holds."),
        commands: z.array(z.string()).describe("Shell commands that restore it, in order."),
        prerequisites: z.array(z.string()).describe("What has to be so before they are run."),
      }),
    )
    .describe("What it contains besides the work tree, and how to restore that without Waymark."),
});
