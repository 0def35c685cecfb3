import * as z from "zod";
import { warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";
import { sessionSummary } from "./session-fields-schema.ts";

export const published = printedDocument(
  "session_change",
  "What `waymark session start`, `save`, `pause`, `complete`, `fail`, `abandon` and `delete` print with --json.",
  {
    action: z.enum(["start", "save", "pause", "complete", "fail", "abandon", "delete"]),
    changed: z.boolean().describe("False: it was like that before, or its owner was asked."),
    requested: z.boolean().describe("Another process runs it and was asked to do it."),
    session: sessionSummary.describe("As it is now."),
    saved: z.array(z.string()).describe("What `save` kept."),
    redacted: z.array(z.string()).describe("Of these, what lost something like a secret."),
    checkpoint_id: z.string().nullable().describe("The checkpoint that was taken."),
    removed_checkpoints: z
      .array(z.string())
      .describe("What retention.on_success took, or what was deleted with the session; `delete --undo` restores them."),
    warnings,
  },
);
