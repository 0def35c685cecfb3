import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

const bytes = z.number().int().nonnegative().nullable();

const explained = z.array(
  z.looseObject({ id: z.string(), reason: z.string().describe("Which rule, in words.") }),
);

export const published = printedDocument("cleanup", "What `waymark cleanup --json` prints.", {
  dry_run: z.boolean().describe("True: nothing was changed."),
  removed: explained.describe("Removed from the list; `delete --undo` restores them unless purged."),
  purged: explained.describe(
    "Deleted for good: with --now all that is removed, and what was deleted long enough ago.",
  ),
  kept: explained,
  orphans: z
    .array(z.string())
    .describe("Checkpoints that no longer exist and whose local halves are removed."),
  sessions: explained.describe(
    "Sessions that ended long ago and have no checkpoints; they are deleted for good.",
  ),
  bytes_total: bytes.describe(
    "Size of the checkpoints before, without what branches and tags contain; null: unknown.",
  ),
  freed_bytes: bytes.describe("How much of it is freed; null: unknown."),
  freed_bytes_unknown: z.string().nullable().describe("Why freed_bytes is null."),
});
