import * as z from "zod";
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
});
