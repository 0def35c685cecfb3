import * as z from "zod";
import { printedDocument } from "./published-schema.ts";
import { borrowedCommits } from "./store-fields-schema.ts";

const texts = z.array(z.string());

export const published = printedDocument("purge", "What `waymark purge --json` prints.", {
  dry_run: z.boolean().describe("True: nothing was changed."),
  target: z.looseObject({
    kind: z.enum(["commit", "blob", "tree", "path"]),
    name: z.string(),
  }),
  objects: texts.describe("The object, or the contents that the path has had."),
  checkpoints: z
    .array(z.looseObject({ id: z.string(), in_trash: z.boolean() }))
    .describe("Checkpoints that contain it; they are deleted for good."),
  sessions: texts.describe("Sessions whose history leads to it."),
  exports: texts.describe("Exports that contain it; they are not deleted."),
  borrowed: borrowedCommits.describe(
    "Borrowed commits that lead to it: history of the repository itself.",
  ),
  not_searched: texts.describe("Refs and exports that are damaged."),
  gone: z.boolean().describe("True: the store was searched afterwards and does not contain it."),
  left: texts.describe("Objects that remain: other paths of other checkpoints have this content."),
  sessions_rewritten: texts.describe("Their newest version stays."),
  sessions_removed: texts.describe("Their newest version was the object."),
  released: borrowedCommits,
  in_repository: z
    .looseObject({
      contains: z.boolean(),
      branches: texts,
      tags: texts,
      remote_branches: texts,
      other_refs: texts,
      staged: z.boolean(),
    })
    .describe("What of the user's own repository leads to it."),
  steps: z
    .array(z.looseObject({ command: z.string(), why: z.string() }))
    .describe("Commands that remove it there; Waymark never runs them."),
  warnings: texts,
});
