import * as z from "zod";
import { archive, basis } from "./archive-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const ids = z.array(z.string());

export const published = printedDocument("import", "What `waymark import --json` prints.", {
  dry_run: z.boolean().describe("True: nothing was changed."),
  ...archive,
  project: z.string().describe("The name of the project that it was exported from."),
  exported_at: z.iso.datetime(),
  imported: ids.describe("Checkpoints that are new here; with --dry-run: that would be."),
  already_there: ids.describe("Checkpoints that were here with the same content."),
  refused: ids.describe(
    "Ids that another checkpoint has here; only with --dry-run, as an import fails then.",
  ),
  sessions: z.looseObject({
    imported: ids.describe("New here, or newer than here."),
    already_there: ids,
    kept: ids.describe("Not changed, because they diverged or are newer here."),
  }),
  pinned: ids.describe(
    "Imported checkpoints whose pins were added to an existing session.",
  ),
  basis,
});
