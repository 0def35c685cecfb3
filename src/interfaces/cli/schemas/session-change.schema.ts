import * as z from "zod";
import { warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";
import { sessionSummary } from "./session-fields-schema.ts";

export const published = printedDocument(
  "session_change",
  "What `waymark session start`, `save`, `pause`, `complete`, `fail`, `abandon` and `delete` print with --json.",
  {
    action: z.enum(["start", "save", "pause", "complete", "fail", "abandon", "delete"]),
    changed: z.boolean().describe("False: nothing had to be changed, or its owner was asked."),
    requested: z.boolean().describe("Another process runs it and was asked to do it."),
    session: sessionSummary.describe("As it is now."),
    saved: z.array(z.string()).describe("What `save` stored."),
    redacted: z.array(z.string()).describe("Of these, those from which a possible secret was removed."),
    checkpoint_id: z.string().nullable().describe("The checkpoint that was created."),
    removed_checkpoints: z
      .array(z.string())
      .describe("Checkpoints removed by retention.on_success or with the session; `delete --undo` restores them."),
    warnings,
  },
);
