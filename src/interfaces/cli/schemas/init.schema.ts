import * as z from "zod";
import { KNOWN_AGENTS, KNOWN_WORKFLOWS, type KnownTool } from "../../../domain/known-tools.ts";
import { agentName } from "./hooks-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const count = z.number().int().nonnegative();
const names = z.array(z.string());
const tools = (known: readonly KnownTool[]) => z.array(z.enum(known.map(({ name }) => name)));

const detected = z.looseObject({
  git_version: z.string(),
  work_tree: z.string(),
  plain: z.boolean().describe("A folder without git."),
  branch: z.string().nullable().describe("Full ref name; null: detached, or there is no git."),
  linked_work_tree: z.boolean().describe("One of several work trees, and not the main one."),
  work_trees: count.describe("Of the repository, this one included."),
  tracked_files: count,
  untracked_files: count,
  bytes: count.describe("Of these files."),
  submodules: names.describe("Paths; checkpoints exclude them."),
  nested_repositories: names.describe("Paths; checkpoints exclude them."),
  filters: z.record(z.string(), count).describe("Filter drivers, with their number of files."),
  sparse: z.boolean(),
  partial_clone: z.boolean(),
  shallow: z.boolean(),
  agents: tools(KNOWN_AGENTS).describe("Agents that the project has files of."),
  workflows: tools(KNOWN_WORKFLOWS).describe("Workflow tools that the project has files of."),
});

export const published = printedDocument("init", "What `waymark init --json` prints.", {
  dry_run: z.boolean().describe("True: nothing was changed."),
  config_file: z.string().describe("Relative to the work tree."),
  config_written: z.boolean().describe("False: it already existed and was kept, or --dry-run."),
  would_write_config: z.boolean().describe("With --dry-run."),
  kept_copy: z.string().nullable().describe("With --force: where the old file is now."),
  hooks: z
    .looseObject({
      missing: z.array(agentName).describe("Agents with files in the project and without hooks."),
      installed: z.array(agentName).describe("Agents for which this command installed hooks."),
      command: z.string().nullable().describe("The command that installs the missing ones."),
    })
    .describe("Hooks of agents."),
  detected,
});
