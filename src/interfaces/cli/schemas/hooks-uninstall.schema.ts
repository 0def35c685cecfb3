import * as z from "zod";
import { agentName, changedFile, scopeName, wayName } from "./hooks-fields-schema.ts";
import { printedDocument } from "./published-schema.ts";

const uninstalled = z.looseObject({
  agent: agentName,
  scope: scopeName,
  via: wayName,
  state: z.enum(["removed", "kept", "not_installed"]),
  files: z.array(changedFile),
  kept: z.array(z.string()).describe("Files of Waymark that were edited, and files with hooks that were added manually; --force removes them too."),
});

export const published = printedDocument(
  "hooks_uninstall",
  "What `waymark hooks uninstall --json` prints.",
  {
    dry_run: z.boolean().describe("True: nothing was changed."),
    scopes: z.array(scopeName),
    agents: z.array(uninstalled).describe("Those that were named, or those that had hooks."),
    warnings: z.array(z.string()).describe("What was not removed, and how to remove it."),
    notes: z.array(z.string()).describe("What is installed elsewhere, and how to remove it."),
  },
);
