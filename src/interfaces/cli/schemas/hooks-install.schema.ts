import * as z from "zod";
import { agentName, changedFile, scopeName, wayName } from "./hooks-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const installed = z.looseObject({
  agent: agentName,
  via: wayName,
  state: z
    .enum(["installed", "updated", "unchanged", "covered"])
    .describe("covered: it runs the hooks of another agent's file."),
  covered_by: z.string().nullable().describe("That file."),
  files: z.array(changedFile),
  commands: z.array(z.string()).describe("Of the agent itself, where it installs a plugin."),
});

export const published = printedDocument(
  "hooks_install",
  "What `waymark hooks install --json` prints.",
  {
    dry_run: z.boolean().describe("True: nothing was changed."),
    scope: scopeName,
    agents: z.array(installed),
    waymark_on_path: z.boolean().describe("False: hooks that do not use its full path do nothing."),
    warnings: z.array(z.string()),
    notes: z.array(z.string()).describe("What to do next."),
  },
);
