/**
 * What the readers of older tools' formats agree on: sessions and records, with a home for every field and everything else carried
 * along under `rest`. Records are what those tools call checkpoints.
 */
import type { FileChanges, Trigger } from "../checkpoint.ts";
import type { IssueSnapshot, SessionError } from "../session.ts";
import type { WorkflowProgress } from "../workflow/progress.ts";
import type { SessionStatus } from "../workflow/session-status.ts";
import type { Fields } from "./field-reader.ts";

/** Why something of a source is not here, or not as it was. */
export const NOT_CARRIED_CODES = [
  "unreadable",
  "broken",
  "newer_version",
  "missing_file",
  "checksum",
  "no_commit",
  "commit_missing",
  "stash_missing",
  "branch",
  "files_left_out",
  "fields_left_out",
  "redacted",
  "too_large",
  "twice",
  "session_exists",
  "checkpoint_exists",
] as const;
export type NotCarriedCode = (typeof NOT_CARRIED_CODES)[number];

/** One thing that could not be carried, in words. */
export interface NotCarried {
  readonly code: NotCarriedCode;
  /** The session as the source calls it; null: it belongs to none. */
  readonly session: string | null;
  readonly record: string | null;
  /** From the source's folder. */
  readonly file: string | null;
  readonly message: string;
}

/** What a record says about the code of its moment. */
export interface OldCode {
  readonly commit: string | null;
  readonly branch: string | null;
  /** Full name of the tag that the tool made for it. */
  readonly tag: string | null;
  /** What the message of its stash entry begins with; null: nothing was stashed. Positions in the list shift, messages do not. */
  readonly stash: string | null;
}

export interface OldRecord {
  readonly id: string;
  readonly file: string;
  readonly createdAt: string;
  readonly phase: string | null;
  readonly step: number | null;
  readonly previousPhase: string | null;
  readonly workflowState: string | null;
  readonly trigger: Trigger;
  readonly taskId: string | null;
  readonly issueNumber: number | null;
  readonly description: string | null;
  readonly user: string | null;
  readonly metrics: Fields;
  /** Undefined: it holds none. */
  readonly state?: unknown;
  readonly outputs?: unknown;
  readonly files: FileChanges;
  /** Null: the format says nothing about the code. */
  readonly code: OldCode | null;
  readonly valid: boolean;
  readonly invalidatedBy: string | null;
  readonly corruptedAt: string | null;
  /** What is wrong with it; such a record becomes no checkpoint. */
  readonly damage: string | null;
  readonly rest: Fields;
}

export interface OldRollback {
  readonly id: string;
  readonly at: string;
  /** Ids of records. */
  readonly from: string | null;
  readonly to: string | null;
  readonly reason: string | null;
  readonly rest: Fields;
}

export interface OldSession {
  /** As the source calls it. */
  readonly id: string;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly status: SessionStatus;
  readonly workflowType: string | null;
  readonly projectName: string | null;
  readonly description: string | null;
  readonly topic: string | null;
  readonly taskId: string | null;
  readonly issueNumber: number | null;
  readonly issueSnapshot: IssueSnapshot | null;
  readonly branch: string | null;
  readonly lastError: SessionError | null;
  readonly isArchived: boolean;
  /** Its phases name records where checkpoints of ours belong. */
  readonly workflow: WorkflowProgress;
  /** Oldest first. */
  readonly records: readonly OldRecord[];
  readonly rollbacks: readonly OldRollback[];
  /** The record that the session stands at. */
  readonly currentRecord: string | null;
  readonly rest: Fields;
}

/** A session of the source with what went wrong on the way to it. */
export interface ReadSession {
  readonly session: OldSession;
  readonly problems: readonly NotCarried[];
}
