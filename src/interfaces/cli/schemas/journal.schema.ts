import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("journal", "What `waymark log --json` prints.", {
  session_id: z.string(),
  entries: z
    .array(
      z.looseObject({
        at: z.iso.datetime(),
        session_id: z.string(),
        kind: z
          .string()
          .describe("create, rollback, undo, redo, recovery, pin, delete, cleanup and others."),
        by: z.string().nullable().describe("The user."),
        agent: z.string().nullable(),
        reason: z.string().nullable(),
        checkpoint_ids: z.array(z.string()),
        details: z.looseObject({}),
      }),
    )
    .describe("Newest first."),
});
