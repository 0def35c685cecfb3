/** The full check of a checkpoint document. Loaded only by commands that need it: zod costs 30 ms at start-up. */
import * as z from "zod";
import { TRIGGERS, type CheckpointDocument } from "./checkpoint.ts";

const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const text = z.string().nullable();

const exclusion = z.looseObject({
  path: z.string(),
  reason: z.string(),
  size: z.number().nullable(),
});

const gitPart = z.looseObject({
  type: z.literal("git_stash"),
  digest: objectId,
  worktree: objectId,
  index: objectId,
  conflicts: objectId.nullable(),
  index_raw: objectId.nullable(),
  index_mtime_ns: z.string().regex(/^\d+$/).nullable(),
  index_flags: z.string(),
  details: objectId,
  operation: objectId.nullable(),
});

/** Unknown fields are allowed everywhere: a later version may add some, and they are carried along. */
export const checkpointSchema = z.looseObject({
  schema_version: z.literal(1),
  id: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/),
  session_id: z.string().min(1),
  worktree_id: z.string().min(1),
  seq: z.number().int().positive(),
  previous_id: text,
  epoch: text,
  name: text,
  task_id: text,
  issue_number: z.number().int().nullable(),
  phase: text,
  step: z.number().int().nonnegative().nullable(),
  previous_phase: text,
  workflow_state: text,
  trigger: z.enum(TRIGGERS),
  reason: text,
  description: text,
  created_at: z.iso.datetime(),
  created_by: z.looseObject({ user: text, host: z.string(), pid: z.number().int() }),
  git: z.looseObject({
    branch: text,
    detached: z.boolean(),
    commit: objectId.nullable(),
    unborn: z.boolean(),
    operation: z.enum(["none", "merge", "cherry-pick", "revert", "rebase", "am", "bisect"]),
    ahead_of_upstream: z.number().int().nullable(),
    stats: z.record(z.string(), z.number().int()),
    refs: z.record(z.string(), objectId.nullable()),
  }),
  parts: z.array(gitPart).min(1),
  coverage: z.looseObject({
    files: z.number().int(),
    bytes: z.number(),
    excluded: z.array(exclusion),
    excluded_total: z.number().int(),
    unstable: z.array(z.string()),
  }),
  metrics: z.record(z.string(), z.unknown()),
  files: z.looseObject({
    created: z.array(z.string()),
    modified: z.array(z.string()),
    deleted: z.array(z.string()),
    total: z.number().int(),
  }),
  sameness: z.string(),
  content_hash: z.string().regex(/^sha256:[0-9a-f]{64}$/),
  state_digest: text,
  durability: z.enum(["safe", "fast"]),
  expires_at: z.iso.datetime().nullable(),
  restore_command: z.string(),
  checksum: z.string().regex(/^sha256:[0-9a-f]{64}$/),
});

export function schemaProblems(document: CheckpointDocument): string[] {
  const result = checkpointSchema.safeParse(document);
  if (result.success) return [];
  return result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
}
