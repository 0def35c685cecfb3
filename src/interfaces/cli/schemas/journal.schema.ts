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
          .describe("create, rollback, undo, redo, recover, pin, delete, cleanup and others."),
        ok: z.boolean().describe("False: it was refused, it failed or it was interrupted."),
        error: z
          .looseObject({ code: z.string(), message: z.string() })
          .nullable()
          .describe("Why it did not succeed; null when it did."),
        by: z.string().nullable().describe("The user."),
        agent: z.string().nullable(),
        reason: z.string().nullable(),
        checkpoint_ids: z.array(z.string()),
        details: z.looseObject({}),
      }),
    )
    .describe("Newest first."),
});
