import * as z from "zod";
import { EXCLUSION_REASONS } from "../../../domain/checkpoint.ts";
import { PART_TYPES } from "../../../domain/parts.ts";
import { printedDocument } from "./published-schema.ts";

const count = z.number().int().nonnegative();

const side = z.looseObject({
  id: z.string(),
  phase: z.string().nullable(),
  step: z.number().int().nullable(),
  created_at: z.iso.datetime(),
  commit: z.string().nullable(),
  branch: z.string().nullable(),
});

const commits = z.array(z.looseObject({ commit: z.string(), subject: z.string() }));

export const published = printedDocument("diff", "What `waymark diff --json` prints.", {
  from: side,
  to: side.nullable().describe("Null: the project now."),
  files: z.array(
    z.looseObject({
      path: z.string(),
      change: z.enum(["added", "removed", "modified"]),
      added: count.nullable().describe("Lines; null for binary files."),
      removed: count.nullable().describe("Lines; null for binary files."),
    }),
  ),
  not_compared: z
    .array(
      z.looseObject({
        path: z.string(),
        reason: z.enum(EXCLUSION_REASONS).describe("Why one of the two excludes it."),
        detail: z.string().optional(),
      }),
    )
    .describe("Files that one of the two contains and the other excludes."),
  parts: z
    .array(
      z.looseObject({
        type: z.enum(PART_TYPES),
        what: z.string().describe("A path, or the name of a database."),
        change: z.enum(["added", "removed", "modified"]),
        summary: z.string().nullable(),
      }),
    )
    .describe("Copied files and databases that differ."),
  totals: z.looseObject({ files: count, lines_added: count, lines_removed: count }),
  state: z
    .array(z.looseObject({ key: z.string(), from: z.unknown(), to: z.unknown() }))
    .describe("Phase, step, metrics and the like that changed, by dotted names; null: not present."),
  commits: z.looseObject({
    gained: commits.describe("Between `from` and `to`, newest first."),
    lost: commits.describe("Those that only `from` has."),
  }),
  index_differs: z.boolean().describe("Whether the index differs."),
  patch: z.string().optional().describe("With --patch."),
  not_shown: z
    .array(z.looseObject({ path: z.string(), reason: z.enum(["sensitive", "sensitive_content"]) }))
    .optional()
    .describe("With --patch: untracked files that look like secrets; they are not in the patch."),
});
