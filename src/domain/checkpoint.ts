/** What a checkpoint document says. Documents are snake_case: agents in any language read them. */
import type { AgentStep } from "./agents/agent-step.ts";
import type { CheckpointScope } from "./scope.ts";
import type { TaskSnapshot } from "./task.ts";
import type { SecretReason } from "./secrets/secret-text.ts";
import type { LocalHalf } from "./local-half.ts";
import { isExtraPart, type ExtraPart, type Part, type PartType } from "./parts.ts";

export const SCHEMA_VERSION = 1;

export const TRIGGERS = [
  "pre_phase",
  "post_phase",
  "batch_complete",
  "agent_complete",
  "conflict_start",
  "conflict_resolved",
  "user_interrupt",
  "session_end",
  "tool_use",
  "pre_rollback",
  "manual",
  "auto",
] as const;
export type Trigger = (typeof TRIGGERS)[number];

export const OPERATIONS = [
  "none",
  "merge",
  "cherry-pick",
  "revert",
  "rebase",
  "am",
  "bisect",
] as const;
export type Operation = (typeof OPERATIONS)[number];

export const EXCLUSION_REASONS = [
  "ignored",
  "nested_repository",
  "submodule",
  "over_budget",
  "excluded",
  "sensitive",
  "sensitive_content",
  "special_file",
  "unreadable",
  "own_files",
  "in_database",
  "out_of_scope",
  "withheld",
] as const;
export type ExclusionReason = (typeof EXCLUSION_REASONS)[number];

export interface Exclusion {
  /** Shown form of the path; a folder ends with a slash and covers everything below it. */
  readonly path: string;
  readonly reason: ExclusionReason;
  /** Bytes; null where it is not known (folders, special files). */
  readonly size: number | null;
  /** More about the reason: for sensitive_content the id of the rule, never the value. */
  readonly detail?: string;
}

/** A file that is held and looks like a secret. */
export interface WithheldFile extends SecretReason {
  /** Shown form of the path. */
  readonly path: string;
}

/** The part that holds the work tree and the index, as object ids that git understands. */
export interface GitPart {
  readonly type: "git_stash";
  /** The tree of the checkpoint's commit: everything below hangs off it. */
  readonly digest: string;
  /** In a document without the files that are withheld; of a moment with them. */
  readonly worktree: string;
  readonly index: string;
  readonly conflicts: string | null;
  readonly index_raw: string | null;
  /** Nanoseconds since the epoch, as a decimal string: git's racy-edit check needs it back. */
  readonly index_mtime_ns: string | null;
  /** Digest of the flags of index entries (assume-unchanged, skip-worktree, intent-to-add), which no tree shows. */
  readonly index_flags: string;
  readonly details: string;
  readonly operation: string | null;
}

export interface GitSummary {
  /** A folder without git: there is no branch, no commit and no index to go back to. Left out where it is not so. */
  readonly plain?: true;
  /** Full ref name of the branch, or null when HEAD is detached or there is no git. */
  readonly branch: string | null;
  readonly detached: boolean;
  readonly commit: string | null;
  readonly unborn: boolean;
  readonly operation: Operation;
  readonly ahead_of_upstream: number | null;
  readonly stats: {
    readonly staged: number;
    readonly unstaged: number;
    readonly untracked: number;
    readonly deleted: number;
    readonly conflicted: number;
  };
  /**
   * Refs besides HEAD and its branch that a rollback to here sets: those of an operation in progress, and for
   * pre_rollback every ref that was about to move. Null: it did not exist.
   */
  readonly refs: Readonly<Record<string, string | null>>;
}

export interface Coverage {
  readonly files: number;
  readonly bytes: number;
  readonly excluded: readonly Exclusion[];
  readonly excluded_total: number;
  /** Files that changed each time they were read: what is stored may be a mixture. */
  readonly unstable: readonly string[];
  /** Untracked files that look like secrets: they are in the local half, which does not leave this machine. The whole list is in worktree.json. */
  readonly withheld?: readonly WithheldFile[];
  readonly withheld_total?: number;
  /** Those of them that were named. */
  readonly included_secrets?: readonly string[];
}

export interface FileChanges {
  readonly created: readonly string[];
  readonly modified: readonly string[];
  readonly deleted: readonly string[];
  /** All changes, also those that the lists above leave out for length. */
  readonly total: number;
}

export interface CreatedBy {
  readonly user: string | null;
  readonly host: string;
  readonly pid: number;
  readonly agent: string | null;
  readonly agent_session_id: string | null;
  readonly tool_use_id: string | null;
  /** The prompt of the agent's session that it belongs to, counted from 1. */
  readonly turn?: number;
  /** The first line of that prompt, without what looks like a secret. */
  readonly prompt?: string;
  /** As the agent calls it. */
  readonly tool?: string;
  /** The moment of an agent that a hook took it at. */
  readonly moment?: AgentStep["moment"];
  readonly tool_kind?: NonNullable<AgentStep["tool_kind"]>;
  /** What a tool that writes was about to write, from the project's root. */
  readonly tool_paths?: readonly string[];
  /** Further ones, that the list leaves out for length. */
  readonly tool_paths_left_out?: number;
}

export interface CheckpointDocument {
  readonly schema_version: number;
  readonly id: string;
  readonly session_id: string;
  readonly worktree_id: string;
  readonly seq: number;
  readonly previous_id: string | null;
  /** The rollback after which this was taken; lineage tells abandoned checkpoints from live ones by it. */
  readonly epoch: string | null;
  readonly name: string | null;
  readonly task_id: string | null;
  readonly issue_number: number | null;
  readonly phase: string | null;
  readonly step: number | null;
  readonly previous_phase: string | null;
  readonly workflow_state: string | null;
  /** The task of Backlog.md as it was; not there: none was asked for, or there is none. */
  readonly task?: TaskSnapshot;
  readonly trigger: Trigger;
  readonly reason: string | null;
  readonly description: string | null;
  readonly created_at: string;
  readonly created_by: CreatedBy;
  readonly git: GitSummary;
  readonly parts: readonly Part[];
  /** What of it must not leave this machine, as ids of trees in its local half; not there: nothing. */
  readonly local?: LocalHalf;
  /** What it was created for, if given. */
  readonly type?: PartType;
  /** What it is limited to; not there: nothing. */
  readonly scope?: CheckpointScope;
  /** Not what was there: it was worked out, and the rollback that followed made the project equal to it, if it came to that. */
  readonly worked_out?: true;
  readonly coverage: Coverage;
  readonly metrics: Readonly<Record<string, unknown>>;
  readonly files: FileChanges;
  readonly sameness: string;
  readonly content_hash: string;
  readonly state_digest: string | null;
  readonly durability: "safe" | "fast";
  readonly expires_at: string | null;
  readonly restore_command: string;
  readonly checksum: string;
}

export function isPlain(git: Pick<GitSummary, "plain">): boolean {
  return git.plain === true;
}

export function gitPartOf(document: CheckpointDocument): GitPart | undefined {
  return document.parts.find((part) => part.type === "git_stash");
}

/** The tree of all files as they were, whether or not this machine has all of them. */
export function filesTreeOf(document: CheckpointDocument): string | undefined {
  return document.local?.worktree ?? gitPartOf(document)?.worktree;
}

/** Everything that it holds beside the work tree. */
export function extraPartsOf(document: Pick<CheckpointDocument, "parts">): readonly ExtraPart[] {
  return document.parts.filter(isExtraPart);
}

/** The same entries with the same flags; stat data alone makes no difference. */
export function sameIndex(left: GitPart, right: GitPart): boolean {
  return (
    left.index === right.index &&
    left.conflicts === right.conflicts &&
    left.index_flags === right.index_flags &&
    (left.index_raw === null) === (right.index_raw === null)
  );
}

/** What it was asked to be for. */
export function typeOf({ type }: Pick<CheckpointDocument, "type">): PartType {
  return type ?? "git_stash";
}

export function isExpired(document: Pick<CheckpointDocument, "expires_at">, now: Date): boolean {
  return document.expires_at !== null && Date.parse(document.expires_at) <= now.getTime();
}
