import * as z from "zod";
import { warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const ids = z.array(z.string());
const time = z.iso.datetime().nullable();

const restorable = z.looseObject({
  id: z.string(),
  deleted_at: time.describe("Null: unknown, because the process was killed."),
  by: z.string().nullable().describe("The user."),
  why: z.string().nullable(),
  until: time.describe("When it is deleted for good; null: never."),
});

export const published = printedDocument("delete", "What `waymark delete --json` prints.", {
  deleted: ids.describe("Empty with --undo."),
  gone_for_good: ids.describe("Those of `deleted` that cannot be restored."),
  restorable_until: time.describe("Until when the others can be restored; null: no limit, or there are none."),
  restored: ids.describe("With --undo: restored."),
  restorable: z
    .array(restorable)
    .optional()
    .describe("With --undo and no checkpoint: what can be restored, newest deletion first."),
  warnings: warnings.optional().describe("Without --undo: what a user should know, in words."),
});
