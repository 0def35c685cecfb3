import * as z from "zod";
import { printedDocument } from "./published-schema.ts";

const ids = z.array(z.string());

export const published = printedDocument(
  "pin",
  "What `waymark pin` and `unpin` print with --json.",
  {
    pinned: ids.describe("Now pinned; empty for `unpin`."),
    unpinned: ids.describe("No longer pinned; empty for `pin`."),
    unchanged: ids.describe("Already pinned, or already not pinned."),
  },
);
