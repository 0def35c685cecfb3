/** The two moments that staleness is about: what a session wrote down, and how things are. */
import type { Operation } from "../../checkpoint.ts";
import type { IssueSnapshot } from "../../session.ts";
import type { Lease } from "../lease.ts";
import type { WorkflowProgress } from "../progress.ts";
import type { NamedOutput } from "../session-references.ts";

/** What the session wrote down. */
export interface RecordedMoment {
  readonly sessionId: string;
  readonly formatVersion: number;
  readonly status: string;
  /** Null: nobody knows. */
  readonly worktreeId: string | null;
  /** Full name of the branch that the work was on; null: on none. */
  readonly branch: string | null;
  /** The checkpoint that it goes on from; null: there is none. */
  readonly checkpoint: {
    readonly id: string;
    readonly head: string | null;
    readonly operation: Operation;
  } | null;
  readonly definition: { readonly path: string; readonly digest: string } | null;
  readonly issue: IssueSnapshot | null;
  readonly progress: WorkflowProgress | undefined;
}

/** How things are. */
export interface PresentMoment {
  readonly at: Date;
  /** The newest format that this version knows. */
  readonly formatVersion: number;
  /** Whoever runs the session now; null: nobody, or somebody who is proven gone. */
  readonly heldBy: Lease | null;
  readonly worktreeId: string;
  readonly branchExists: boolean;
  /** Full name; null: none is checked out. */
  readonly checkedOut: string | null;
  /** Checkpoints that the session needs and that this version cannot read. */
  readonly newerCheckpoints: readonly { readonly id: string; readonly version: number }[];
  readonly damagedCheckpoints: readonly { readonly id: string; readonly problem: string }[];
  /** To go on from in place of a damaged one. */
  readonly lastValidId: string | null;
  readonly changes: ChangesSince;
  /** `sha256:` of the workflow file's text; null: the file is gone. */
  readonly definitionDigest: string | null;
  readonly issue: IssueNow;
  readonly missingOutputs: readonly NamedOutput[];
  /** Checkpoints that hold the saved state and are gone. */
  readonly missingStates: readonly string[];
}

export type IssueNow =
  | { readonly kind: "taken"; readonly snapshot: IssueSnapshot }
  | { readonly kind: "unavailable"; readonly why: string }
  /** Nobody wanted to look. */
  | { readonly kind: "not_asked" };

/** What happened to the project since the checkpoint. */
export type ChangesSince =
  | { readonly kind: "known"; readonly changes: KnownChanges }
  | { readonly kind: "unknown"; readonly why: string }
  /** There is no checkpoint to compare with, or it is rolled back to first. */
  | { readonly kind: "not_asked" };

export interface KnownChanges {
  readonly head: string | null;
  readonly operation: Operation;
  readonly files: readonly ChangedFile[];
  readonly commitsGained: readonly SeenCommit[];
  readonly commitsLost: readonly SeenCommit[];
  readonly isIndexChanged: boolean;
  /** Copied files and databases. */
  readonly parts: readonly ChangedPart[];
}

export interface ChangedFile {
  readonly path: string;
  readonly change: "added" | "removed" | "modified";
}

export interface ChangedPart {
  readonly type: string;
  readonly what: string;
  readonly change: "added" | "removed" | "modified";
}

export interface SeenCommit {
  readonly commit: string;
  readonly subject: string;
}
