import * as z from "zod";
import {
  issueSnapshot,
  rollbackRecord,
  sessionRequest,
  workflowDefinition,
} from "../../../domain/session-schema.ts";
import { modifiedFile, progressFields } from "../../../domain/workflow/progress-schema.ts";
import { printedDocument } from "./published-schema.ts";
import { sessionSummary } from "./session-fields-schema.ts";

export const published = printedDocument("session", "What `waymark session show --json` prints.", {
  session: sessionSummary
    .extend(progressFields)
    .extend({
      state: z.unknown().describe("What the workflow or `create --state` saved; null: nothing."),
      files_modified: z
        .array(modifiedFile)
        .nullable()
        .describe(
          "What the workflow saved itself, or what differs since its first checkpoint; null: unknown.",
        ),
      issue_snapshot: issueSnapshot.nullable(),
      definition: workflowDefinition.nullable().describe("The workflow file that it was started with."),
      rollback_history: z.array(rollbackRecord).describe("Oldest first."),
      current_checkpoint: z.string().nullable().describe("What `latest` means."),
      invalidated_checkpoints: z.array(
        z.looseObject({
          id: z.string(),
          invalidated_by: z.string().nullable().describe("The rollback that rolled past it."),
        }),
      ),
      requests: z.array(sessionRequest).describe("Requests to the process that runs it."),
      pinned: z.record(z.string(), z.unknown()).describe("Pinned checkpoints, by id."),
    })
    .describe("Including unknown fields that other programs stored in the session."),
});
