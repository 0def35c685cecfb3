import * as z from "zod";
import { DATABASE_ENGINES } from "../../../domain/parts.ts";
import { archive, basis } from "./archive-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const secret = {
  path: z.string(),
  reason: z.enum(["sensitive", "sensitive_content"]).describe("By its name or its content."),
  detail: z.string().optional().describe("The rule that found something; never the value."),
};

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
    .describe(
      "What is not in it, and why: staged or saved secrets, and with --skip-damaged what is damaged.",
    ),
  included_secrets: z
    .array(z.looseObject({ id: z.string().describe("Of the checkpoint."), ...secret }))
    .describe("Files that look like secrets and are in it because --include-secrets named them."),
  included_databases: z
    .array(
      z.looseObject({
        id: z.string().describe("Of the checkpoint."),
        engine: z.enum(DATABASE_ENGINES),
        label: z.string(),
      }),
    )
    .describe("Databases whose dumps are in it because of --include-databases."),
  left_here: z
    .array(
      z.looseObject({
        id: z.string().describe("Of the checkpoint."),
        files: z.array(z.looseObject(secret)).describe("Untracked files that look like secrets."),
        databases: z.array(z.string()).describe("Databases whose dumps stay."),
      }),
    )
    .describe(
      "What of exported checkpoints stays on this machine; a rollback elsewhere leaves it as it is there.",
    ),
  without_copies: z
    .array(z.string())
    .describe("Checkpoints whose copies of files are not in it: those stay on this machine."),
  needs_max_size_mb: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe("The value of --max-size-mb that an import needs; null: none."),
});
