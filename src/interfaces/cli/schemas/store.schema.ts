import * as z from "zod";
import { printedDocument } from "./published-schema.ts";
import { borrowedCommits } from "./store-fields-schema.ts";

const count = z.number().int().nonnegative();

export const published = printedDocument("store", "What `waymark store --json` prints.", {
  path: z.string(),
  bytes: count.describe("Size of its packs."),
  packs: count,
  checkpoints: count,
  deleted: count.describe("Deleted checkpoints that can be restored."),
  sessions: count,
  borrows: z.boolean().describe("False: it contains every object that its checkpoints need."),
  borrowed: borrowedCommits,
});
