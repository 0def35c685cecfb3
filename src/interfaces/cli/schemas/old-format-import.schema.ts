import * as z from "zod";
import { OLD_FORMATS } from "../../../domain/old-formats/old-formats.ts";
import { NOT_CARRIED_CODES } from "../../../domain/old-formats/old-session.ts";
import { SESSION_STATUSES } from "../../../domain/workflow/session-status.ts";
import { printedDocument } from "./published-schema.ts";

const text = z.string().nullable();
const count = z.number().int().nonnegative();

const session = z.looseObject({
  id: z.string().describe("The id of the session here."),
  old_id: z.string().describe("As the source calls it."),
  result: z
    .enum(["imported", "extended", "already_there", "kept"])
    .describe(
      "extended: it already existed and has more checkpoints now. kept: another session has this id here and was not changed.",
    ),
  status: z.enum(SESSION_STATUSES),
  workflow_type: text,
  project_name: text,
  task_id: text,
  issue_number: z.number().int().nullable(),
  records: count.describe("What the source calls checkpoints."),
  progress: z.looseObject({ completed: count, skipped: count, total: count, percent: count }).describe("Phases."),
  checkpoints: z
    .array(z.looseObject({ id: z.string(), record: z.string().describe("As the source calls it.") }))
    .describe("Checkpoints that are new here; with --dry-run: that would be."),
});

const notCarried = z.looseObject({
  code: z.enum(NOT_CARRIED_CODES),
  session: text.describe("The session as the source calls it; null: it belongs to none."),
  record: text.describe("The record as the source calls it."),
  file: text.describe("The file, relative to the source's folder."),
  message: z.string(),
});

export const published = printedDocument(
  "old_format_import",
  "What `waymark import --from FORMAT --json` prints.",
  {
    dry_run: z.boolean().describe("True: nothing was changed."),
    from: z.enum(OLD_FORMATS),
    path: z.string().describe("The source, with links resolved."),
    sessions: z.array(session),
    not_carried: z.array(notCarried).describe("What was not imported, or imported with changes, and why."),
  },
);
