/** What the documents about hooks have in common. */
import * as z from "zod";
import { AGENTS } from "../../../domain/agents/agents.ts";
import { HOOK_SCOPES } from "../../../domain/agents/hook-scope.ts";

export const agentName = z.enum(AGENTS);
export const scopeName = z
  .enum(HOOK_SCOPES)
  .describe("project: for everyone who works on it; user: for all projects; local: this work tree.");
export const wayName = z.enum(["file", "plugin"]);

export const changedFile = z.looseObject({
  path: z.string().describe("Absolute."),
  action: z.enum(["created", "changed", "removed"]),
  diff: z.string().nullable().describe("With --dry-run: a unified diff, without secrets."),
});
