import * as z from "zod";
import { printedDocument } from "./published-schema.ts";
import { borrowedCommits } from "./store-fields-schema.ts";

const count = z.number().int().nonnegative();

export const published = printedDocument("store_own", "What `waymark store own --json` prints.", {
  changed: z.boolean().describe("False: the store contained everything before."),
  copied_objects: count,
  copied_bytes: count,
  released: borrowedCommits.describe("Refs that no longer have to keep anything."),
  damaged: z
    .array(z.string())
    .describe("Refs of which something was missing before; the rest was copied."),
});
