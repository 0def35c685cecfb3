/** What a list shows of a checkpoint, and what its standing hangs on: a small part of its document, which is read quickly for thousands. */
import type { CheckpointDocument, Coverage, GitSummary } from "./checkpoint.ts";
import { isRecord } from "./is-record.ts";

export interface CheckpointGlance extends Pick<
  CheckpointDocument,
  | "id"
  | "session_id"
  | "worktree_id"
  | "seq"
  | "epoch"
  | "name"
  | "task_id"
  | "phase"
  | "step"
  | "trigger"
  | "reason"
  | "description"
  | "created_at"
  | "scope"
  | "worked_out"
  | "expires_at"
> {
  readonly git: Pick<GitSummary, "plain" | "commit" | "operation" | "stats">;
  readonly coverage: Pick<Coverage, "files">;
}

export function glanceOf(document: CheckpointDocument): CheckpointGlance {
  const { id, session_id, worktree_id, seq, epoch, name, task_id, phase, step } = document;
  const { trigger, reason, description, created_at, expires_at, scope, worked_out } = document;
  const { plain, commit, operation, stats } = document.git;
  return {
    id,
    session_id,
    worktree_id,
    seq,
    epoch,
    name,
    task_id,
    phase,
    step,
    trigger,
    reason,
    description,
    created_at,
    ...(scope === undefined ? {} : { scope }),
    ...(worked_out === undefined ? {} : { worked_out }),
    expires_at,
    git: { ...(plain === undefined ? {} : { plain }), commit, operation, stats },
    coverage: { files: document.coverage.files },
  };
}

const TEXTS = ["id", "session_id", "worktree_id", "trigger", "created_at"];
const TEXTS_OR_NULL = ["epoch", "name", "task_id", "phase", "reason", "description", "expires_at"];
const COUNTS = ["staged", "unstaged", "untracked", "deleted", "conflicted"];

/** For one that comes from a file, which may hold anything. */
export function isGlance(value: unknown): value is CheckpointGlance {
  if (!isRecord(value)) return false;
  const { seq, step, scope, worked_out: workedOut, git, coverage } = value;
  return (
    TEXTS.every((key) => typeof value[key] === "string") &&
    TEXTS_OR_NULL.every((key) => isOrNull(value[key], "string")) &&
    typeof seq === "number" &&
    isOrNull(step, "number") &&
    (workedOut === undefined || workedOut === true) &&
    (scope === undefined || isScope(scope)) &&
    isRecord(git) &&
    isOrNull(git["commit"], "string") &&
    typeof git["operation"] === "string" &&
    hasCounts(git["stats"]) &&
    isRecord(coverage) &&
    typeof coverage["files"] === "number"
  );
}

function isOrNull(value: unknown, type: "string" | "number"): boolean {
  return value === null || typeof value === type;
}

function hasCounts(stats: unknown): boolean {
  return isRecord(stats) && COUNTS.every((key) => typeof stats[key] === "number");
}

function isScope(scope: unknown): boolean {
  if (!isRecord(scope)) return false;
  const { files } = scope;
  return (
    files === null ||
    (Array.isArray(files) && files.every((path: unknown) => typeof path === "string"))
  );
}
