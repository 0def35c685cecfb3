import * as z from "zod";
import { archive, basis } from "./archive-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("export", "What `waymark export --json` prints.", {
  ...archive,
  checkpoints: z.array(
    z.looseObject({ id: z.string(), session_id: z.string(), created_at: z.iso.datetime() }),
  ),
  sessions: z.array(z.string()).describe("Sessions whose journals are in it."),
  basis,
  skipped: z
    .array(
      z.looseObject({
        id: z.string().describe("Of a checkpoint, or of a session."),
        problem: z.string(),
      }),
    )
    .describe("With --skip-damaged: what is not in it, and why."),
  needs_max_size_mb: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe("What an import has to be told with --max-size-mb; null: it takes it as it is."),
});
