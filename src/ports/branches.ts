/** What a rollback has to know about branches before it moves one. */
import type { Operation } from "../domain/checkpoint.ts";

export interface LeavingCommit {
  readonly branch: string;
  readonly commit: string;
  readonly subject: string;
}

export type CheckedOut =
  /** By its full name. */
  | { readonly kind: "branch"; readonly name: string }
  | { readonly kind: "detached" }
  /** A plain folder. */
  | { readonly kind: "no_git" };

export interface OperationInProgress {
  readonly kind: Exclude<Operation, "none">;
  /** Files. */
  readonly conflicts: number;
}

export interface BranchUse {
  /** Of the other work tree. */
  readonly folder: string;
  readonly use: "checked out" | "being rebased" | "being bisected";
}

export interface Branches {
  /** What is checked out now. */
  current(): Promise<CheckedOut>;
  tip(ref: string): Promise<string | undefined>;
  /** A ref that is there and does not let this one be made: git has no `main` beside `main/sub`. */
  inTheWayOf(ref: string): Promise<string | undefined>;
  /** What another work tree does with this branch, if anything: git itself would not move it. */
  inUseElsewhere(ref: string): Promise<BranchUse | undefined>;
  /** Commits that are on `from` and not on `to`, newest first. */
  leaving(branch: string, from: string, to: string | undefined): Promise<LeavingCommit[]>;
  /** Undefined: none is in progress. */
  operation(): Promise<OperationInProgress | undefined>;
  /** Refs of an operation in progress, as they are now. */
  operationRefs(): Promise<ReadonlyMap<string, string>>;
}
