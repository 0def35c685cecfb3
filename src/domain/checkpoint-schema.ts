/** The full check of a checkpoint document. Loaded only by commands that need it: zod costs 30 ms at start-up. */
import * as z from "zod";
import { EXCLUSION_REASONS, OPERATIONS, TRIGGERS, type CheckpointDocument } from "./checkpoint.ts";
import { DATABASE_ENGINES, PART_TYPES, STATE_NAMES } from "./parts.ts";
import { TASK_FOLDERS } from "./task.ts";

const objectId = z.string().regex(/^(?:[0-9a-f]{40}|[0-9a-f]{64})$/);
const digest = z.string().regex(/^sha256:[0-9a-f]{64}$/);
const text = z.string().nullable();
const count = z.number().int().nonnegative();
const paths = z.array(z.string());

const exclusion = z.looseObject({
  path: z
    .string()
    .describe("The path; a folder ends with a slash and stands for everything below it."),
  reason: z.enum(EXCLUSION_REASONS).describe("Why it was excluded."),
  size: z.number().nullable().describe("Bytes; null for folders and special files."),
  detail: z
    .string()
    .optional()
    .describe("For sensitive_content: the rule that found something; never the value."),
});

const withheld = z.looseObject({
  path: z.string(),
  reason: z.enum(["sensitive", "sensitive_content"]).describe("By its name or its content."),
  detail: z.string().optional().describe("The rule that found something; never the value."),
});

const gitPart = z.looseObject({
  type: z.literal("git_stash"),
  digest: objectId.describe("The tree of the checkpoint's commit."),
  worktree: objectId.describe(
    "The tree of every tracked and untracked file, as raw bytes, without those in `local`.",
  ),
  index: objectId.describe("The tree of the index (stage 0)."),
  conflicts: objectId.nullable().describe("The tree of unmerged stages."),
  index_raw: objectId
    .nullable()
    .describe("The blob of the index file itself; null: there was none."),
  index_mtime_ns: z
    .string()
    .regex(/^\d+$/)
    .nullable()
    .describe("The time stamp of the index file in nanoseconds since 1970, in decimal."),
  index_flags: z.string().describe("Digest of the flags of index entries."),
  details: objectId.describe(
    "The blob `worktree.json`: modes, empty folders, everything that was excluded.",
  ),
  operation: objectId
    .nullable()
    .describe("The tree of the state files of a merge, rebase … in progress."),
});

const localHalf = z.looseObject({
  worktree: objectId
    .optional()
    .describe("The tree of all files, with those that `coverage.withheld` lists."),
  files: objectId.optional().describe("The tree of the copied files."),
  database: objectId.optional().describe("The tree of the dumps of databases."),
});

const filePart = z.looseObject({
  type: z.literal("file_backup"),
  digest: digest.describe("Digest of the manifest, which is `files/manifest.json` of its tree."),
  files: count,
  bytes: count,
  patterns: z.array(z.string()).describe("Patterns of the files inside the project."),
  outside: z.array(z.string()).describe("Absolute paths and patterns of those outside."),
  included_secrets: z
    .array(z.string())
    .optional()
    .describe("Files that look like secrets and are captured because they were named."),
});

const statePart = z.looseObject({
  type: z.literal("state_snapshot"),
  digest: digest.describe("Digest of the documents' canonical JSON."),
  documents: z.array(
    z.looseObject({
      name: z.enum(STATE_NAMES).describe("`<name>.json` of its tree."),
      path: text.describe("The file that it came from, from the project's root; null: none."),
      format: z.enum(["json", "yaml"]).nullable(),
      mode: text.describe("Permissions of the file; null: there was no file."),
      bytes: count,
      without_source: z
        .literal(true)
        .optional()
        .describe("The bytes of the file are not stored: besides the keys it contains a secret."),
    }),
  ),
  keys: z.array(z.string()).nullable().describe("Only these keys are stored; null: all of it."),
  included_secrets: z
    .array(z.string())
    .optional()
    .describe("Documents that look like secrets and are stored because they were named."),
});

const databasePart = z.looseObject({
  type: z.literal("database_savepoint"),
  digest: digest.describe("Digest of the database's content, not of the dump."),
  engine: z.enum(DATABASE_ENGINES),
  label: z.string().describe("Display name."),
  source: z.string().describe("Its address: a URL without password, env:NAME, service:NAME."),
  folder: z.string().describe("The folder of its tree with the dump and its manifest."),
  bytes: count,
  tables: count,
  rows: count,
  restorable: z
    .literal(false)
    .optional()
    .describe(
      "It could not be restored at that time: missing permissions, or other databases that refer to it.",
    ),
});

const part = z.discriminatedUnion("type", [gitPart, filePart, statePart, databasePart]);

const createdBy = z.looseObject({
  user: text.describe("The user's name on that machine."),
  host: z.string(),
  pid: z.number().int(),
  agent: text.describe("The agent that asked for it, if one did."),
  agent_session_id: text,
  tool_use_id: text,
  turn: z
    .number()
    .int()
    .optional()
    .describe(
      "The number of the prompt in the agent's session that it belongs to, counted from 1.",
    ),
  prompt: z
    .string()
    .optional()
    .describe(
      "The first line of that prompt, without what looks like a secret. Left out where `agents.prompts` is false or the agent does not tell it.",
    ),
  tool: z.string().optional().describe("The tool that was about to run, as the agent calls it."),
  moment: z
    .enum(["prompt", "pre_tool", "turn_end", "session_end"])
    .optional()
    .describe("The event of the agent at which a hook created it."),
  tool_kind: z.enum(["write", "shell", "other"]).optional(),
  tool_paths: z
    .array(z.string())
    .optional()
    .describe("Files that the tool was about to write, relative to the project's root."),
  tool_paths_left_out: z
    .number()
    .int()
    .optional()
    .describe("Number of further files, which the list omits."),
});

const gitSummary = z.looseObject({
  plain: z
    .literal(true)
    .optional()
    .describe(
      "The project was a plain folder without git; a rollback in a git work tree restores its files only.",
    ),
  branch: text.describe(
    "Full ref name of the branch; null: HEAD was detached, or it was a plain folder.",
  ),
  detached: z.boolean(),
  commit: objectId.nullable().describe("The commit of HEAD; null: the branch had none yet."),
  unborn: z.boolean().describe("True when the branch had no commit yet."),
  operation: z.enum(OPERATIONS).describe("The git operation in progress."),
  ahead_of_upstream: z
    .number()
    .int()
    .nullable()
    .describe("Number of commits that the upstream branch does not have; null: no upstream."),
  stats: z.looseObject({
    staged: count,
    unstaged: count,
    untracked: count,
    deleted: count,
    conflicted: count,
  }),
  refs: z
    .record(z.string(), objectId.nullable())
    .describe("Refs besides HEAD's branch that a rollback to here sets; null: did not exist."),
});

const coverage = z.looseObject({
  files: count.describe("Number of files in the checkpoint."),
  bytes: z.number().describe("Bytes that were read for it."),
  excluded: z.array(exclusion).describe("What is not captured, at most 100 entries."),
  excluded_total: count.describe("Total number."),
  unstable: paths.describe("Files that kept changing while they were read."),
  withheld: z
    .array(withheld)
    .optional()
    .describe(
      "Untracked files that are captured, look like secrets, and do not leave this machine.",
    ),
  withheld_total: count.optional().describe("Total number; the list has at most 100."),
  included_secrets: paths
    .optional()
    .describe(
      "Files that look like secrets and are captured because --include-secrets named them.",
    ),
});

const fileChanges = z.looseObject({
  created: paths,
  modified: paths,
  deleted: paths,
  total: count.describe("Number of all changes, including those that the lists omit."),
});

const task = z.looseObject({
  id: z.string().describe("Its id as written in its file: TASK-12."),
  path: z.string().describe("Its file, from the project's root."),
  folder: z.enum(TASK_FOLDERS),
  status: text.describe("Null: the file names none."),
  labels: z.array(z.string()),
  assignee: z.array(z.string()),
  file_digest: digest,
  rest_digest: digest.describe(
    "Digest of everything except status, labels, assignee and the date of the last edit.",
  ),
});

/** Unknown fields are allowed everywhere: a later version may add some, and they are carried along. */
export const checkpointSchema = z.looseObject({
  schema_version: z.literal(1),
  id: z
    .string()
    .regex(/^[a-z0-9][a-z0-9-]{0,62}$/)
    .describe("cp-{step}-{phase, name or trigger}-{UTC date}-{time}-{4 hex digits}"),
  session_id: z.string().min(1).describe("The session that it belongs to."),
  worktree_id: z.string().min(1).describe("The work tree: `main`, or the name of a linked one."),
  seq: z
    .number()
    .int()
    .positive()
    .describe("Sequence number; orders the checkpoints of a session."),
  previous_id: text.describe("The checkpoint before it in the session."),
  epoch: text.describe("The rollback after which it was taken."),
  name: text,
  task_id: text,
  issue_number: z.number().int().nullable(),
  phase: text.describe("The phase of the workflow."),
  step: count.nullable().describe("The number of the step."),
  previous_phase: text,
  workflow_state: text,
  task: task.optional().describe("The Backlog.md task as it was; a rollback restores it."),
  trigger: z.enum(TRIGGERS).describe("What caused it."),
  reason: text,
  description: text,
  created_at: z.iso.datetime(),
  created_by: createdBy.describe("Who created it."),
  git: gitSummary.describe("HEAD, branch and operation in progress."),
  parts: z.array(part).min(1).describe("The parts it contains."),
  local: localHalf
    .optional()
    .describe("Trees of its local half, which does not leave the machine where it was taken."),
  type: z.enum(PART_TYPES).optional().describe("What it was created for, if given."),
  worked_out: z
    .literal(true)
    .optional()
    .describe(
      "A computed state: a merge, or the project without the changes of one session. The rollback that followed restored it; " +
        "without such a rollback it is ignored.",
    ),
  scope: z
    .looseObject({
      files: z
        .array(z.string())
        .nullable()
        .describe("Patterns from the project's root; absolute ones are outside. Null: all files."),
      state_keys: z.array(z.string()).nullable().describe("Keys of the state; null: all of it."),
    })
    .optional()
    .describe("What it is limited to: a rollback to it touches nothing else."),
  coverage: coverage.describe("What is captured and what is not."),
  metrics: z.record(z.string(), z.unknown()).describe("Metrics that the workflow reported."),
  files: fileChanges.describe("Changes since the session's previous checkpoint."),
  sameness: z.string().describe("Equal for two checkpoints if nothing changed between them."),
  content_hash: digest.describe("Digest of the stored trees; docs/storage-format.md says of what."),
  state_digest: text,
  durability: z.enum(["safe", "fast"]),
  expires_at: z.iso.datetime().nullable(),
  restore_command: z.string().describe("The command that restores it."),
  checksum: digest.describe("Digest of the canonical document without this field."),
});

export function schemaProblems(document: CheckpointDocument): string[] {
  const result = checkpointSchema.safeParse(document);
  if (result.success) return [];
  return result.error.issues.map((issue) => `${issue.path.join(".")}: ${issue.message}`);
}
