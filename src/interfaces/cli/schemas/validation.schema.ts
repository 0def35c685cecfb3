import * as z from "zod";
import { PART_TYPES } from "../../../domain/parts.ts";
import { printedDocument } from "./published-schema.ts";
import { unreadableSession } from "./unreadable-session-schema.ts";

const count = z.number().int().nonnegative();

const result = z.looseObject({
  id: z.string(),
  file: z
    .boolean()
    .describe("The commit and its document can be read, and so can copied files and dumps."),
  hash: z.boolean().describe("The checksum of the document is right."),
  git: z.boolean().describe("Every object is present and intact."),
  state: z.boolean().describe("The document is valid by its schema, and a saved state is intact."),
  parts: z
    .array(z.looseObject({ type: z.enum(PART_TYPES), ok: z.boolean() }))
    .describe("What it contains besides the work tree."),
  overall: z.boolean().describe("All of these."),
  newer: z
    .boolean()
    .optional()
    .describe("True: written by a newer Waymark, and so not checked."),
  withheld: z
    .array(z.string())
    .describe(
      "What of it stays on the machine where it was taken and is not here; that is no damage.",
    ),
  problems: z.array(z.string()),
});

export const published = printedDocument("validation", "What `waymark validate --json` prints.", {
  checkpoints: z.array(result),
  valid: count,
  invalid: count,
  newer: count.describe("Written by a newer Waymark, and so neither valid nor invalid."),
  unreadable_sessions: z
    .array(unreadableSession)
    .describe("Sessions that cannot be read."),
  last_valid: z.string().nullable().describe("The newest intact checkpoint."),
  ways_on: z
    .array(z.looseObject({ command: z.string(), text: z.string() }))
    .describe("Commands that may help."),
});
