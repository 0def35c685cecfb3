/** What a list shows of a checkpoint, and what its standing hangs on: a small part of its document, which is read quickly for thousands. */
import {
  filesTreeOf,
  type CheckpointDocument,
  type Coverage,
  type CreatedBy,
  type GitSummary,
} from "./checkpoint.ts";
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
  readonly created_by: Pick<CreatedBy, "agent" | "agent_session_id" | "turn" | "prompt" | "moment">;
  /** Of the files as they were on disk; a whole document has it in its parts. */
  readonly tree?: string;
}

/** What it is about, in one line: what its author said, else when it was taken. */
export function titleOf({
  trigger,
  phase,
  reason,
  description,
  name,
}: Pick<CheckpointGlance, "trigger" | "phase" | "reason" | "description" | "name">): string {
  const said = [reason, description, name].find((text) => text !== null && text.trim() !== "");
  if (said !== undefined && said !== null) return said.trim().replaceAll(/\s+/g, " ");
  const of = phase === null ? "" : ` ${phase}`;
  switch (trigger) {
    case "pre_phase":
      return `before${of || " a phase"}`;
    case "post_phase":
      return `after${of || " a phase"}`;
    case "manual":
      return phase ?? "(no message)";
    default:
      return trigger.replaceAll("_", " ") + (phase === null ? "" : ` (${phase})`);
  }
}

export function treeOfFiles(checkpoint: CheckpointGlance | CheckpointDocument): string | undefined {
  return "parts" in checkpoint ? filesTreeOf(checkpoint) : checkpoint.tree;
}

export function glanceOf(document: CheckpointDocument): CheckpointGlance {
  const { id, session_id, worktree_id, seq, epoch, name, task_id, phase, step } = document;
  const { trigger, reason, description, created_at, expires_at, scope, worked_out } = document;
  const { plain, commit, operation, stats } = document.git;
  const { agent, agent_session_id, turn, prompt, moment } = document.created_by;
  const tree = treeOfFiles(document);
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
    created_by: {
      agent,
      agent_session_id,
      ...(turn === undefined ? {} : { turn }),
      ...(prompt === undefined ? {} : { prompt }),
      ...(moment === undefined ? {} : { moment }),
    },
    ...(tree === undefined ? {} : { tree }),
  };
}

const TEXTS = ["id", "session_id", "worktree_id", "trigger", "created_at"];
const TEXTS_OR_NULL = ["epoch", "name", "task_id", "phase", "reason", "description", "expires_at"];
const COUNTS = ["staged", "unstaged", "untracked", "deleted", "conflicted"];

/** For one that comes from a file, which may hold anything. */
export function isGlance(value: unknown): value is CheckpointGlance {
  if (!isRecord(value)) return false;
  const { seq, step, scope, worked_out: workedOut, git, coverage, created_by: by } = value;
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
    typeof coverage["files"] === "number" &&
    isRecord(by) &&
    isOrNull(by["agent"], "string") &&
    isOrNull(by["agent_session_id"], "string") &&
    (by["turn"] === undefined || typeof by["turn"] === "number") &&
    (by["prompt"] === undefined || typeof by["prompt"] === "string") &&
    (by["moment"] === undefined || typeof by["moment"] === "string") &&
    (value["tree"] === undefined || typeof value["tree"] === "string")
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
