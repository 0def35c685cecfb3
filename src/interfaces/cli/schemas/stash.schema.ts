import * as z from "zod";
import { warnings } from "./checkpoint-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

export const published = printedDocument("stash", "What `waymark stash --json` prints.", {
  stash_commit: z.string().describe("The commit of the entry, which is stash@{0} now."),
  checkpoint_id: z.string(),
  message: z.string().describe("As in `git stash list`, where `On BRANCH: ` comes before it."),
  not_exact: z.array(z.string()).describe("Files that `git stash apply` restores differently."),
  warnings,
});
