/**
 * Changes the project to equal a checkpoint, so that a kill at any point can be finished or taken back.
 *
 * Obligations: nothing is overwritten or unlinked in place; what is moved away is held by the safety checkpoint byte
 * for byte, or it stays; content that is neither the recorded before nor the target is somebody's save and is kept.
 */
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { HeadPlan, RefMove } from "../domain/head-plan.ts";
import type { FilePlan } from "../domain/rollback-plan.ts";
import type { Capture } from "./work-tree.ts";

export interface RestoreOrder {
  readonly rollbackId: string;
  readonly target: CheckpointDocument;
  /** The moment that the plan was made for. */
  readonly before: Capture;
  readonly files: FilePlan;
  /** Null: HEAD and branches stay. */
  readonly head: HeadPlan | null;
  /** Refs of an operation in progress. */
  readonly refs: readonly RefMove[];
  /** all: the index as it was; some: only the entries that are covered; none: the index stays. */
  readonly index:
    | { readonly kind: "all" | "none" }
    | { kind: "some"; covers: (path: BytePath) => boolean };
  /** Restore the state files of merges, rebases … */
  readonly operation: boolean;
  /** Numbers of the target's parts beside the work tree that are restored after it. */
  readonly parts: readonly number[];
  /** Of these, only what is at or below these paths; null: everything. */
  readonly partPaths: readonly BytePath[] | null;
}

export interface ForeignSave {
  readonly path: BytePath;
  /** Where the other content is now: at its path, or in this file. */
  readonly keptAt: string;
}

export interface Applied {
  readonly foreign: readonly ForeignSave[];
}

/** One rollback under way. Every end is one of `finish` and `takeBack`. */
export interface Restore {
  /** How many files were removed or written by now. */
  readonly changedFiles: { readonly done: number; readonly total: number };
  /** Everything that can fail without a change to the project: damage, room, permissions, obstacles. */
  prepare(order: RestoreOrder): Promise<void>;
  /** Carries the order out. The safety checkpoint holds everything that it moves away. */
  apply(safety: CheckpointDocument): Promise<Applied>;
  /** Paths of the order that are not on disk what they should be. */
  mismatches(): Promise<BytePath[]>;
  /** Content that others wrote to files that were moved away meanwhile. */
  lateSaves(): Promise<ForeignSave[]>;
  /** Called once the journal has the rollback: the only thing left is to tidy up. */
  finish(): void;
  /** Before anything is put back: gives up the room on the disk that was held back for that. */
  makeRoom(): void;
  /** Puts everything back; safe to call at any time, also when nothing was changed yet. */
  takeBack(): Promise<readonly ForeignSave[]>;
  /** Ends without putting anything back: the record stays, and `recover` does it. */
  leave(): void;
}

export interface UnfinishedOwner {
  readonly host: string;
  readonly pid: number;
  /** It holds the lock of the work tree, and is on another machine or in a container that cannot be looked into from here. */
  readonly mayBeAtWork: boolean;
}

export interface Unfinished {
  readonly rollbackId: string;
  readonly targetId: string;
  readonly safetyId: string | null;
  readonly since: string;
  readonly phase: string;
  /** Who began it, or was about to put it right. */
  readonly owner: UnfinishedOwner;
  readonly parts: readonly number[];
  readonly partPaths: readonly BytePath[] | null;
}

export type RecoveryResult = {
  readonly outcome: "taken_back" | "finished";
  readonly unfinished: Unfinished;
  readonly foreign: readonly ForeignSave[];
  /** What could not be put right, in words. */
  readonly problems: readonly string[];
};

export interface RecoverySteps {
  /** Called before anything is taken back: takes a checkpoint of what is there. */
  beforeTakingBack(): Promise<void>;
  /** Puts back what lies beside the work tree, before the work tree itself. */
  takeBackParts(unfinished: Unfinished): Promise<void>;
  /** Called when the work tree is back as it was, before the record of the rollback goes; answers with what is wrong. */
  takeBackTask(): Promise<readonly string[]>;
  /** True when the journal has this rollback: then it was done, and verified, before it was killed. */
  isJournaled(rollbackId: string): Promise<boolean>;
}

export interface Restorer {
  /**
   * Takes the lock of the work tree and git's index lock. Fails when an unfinished rollback is there. `stopIfAsked` is called between
   * files, on the way there, and throws when the user wishes to stop.
   */
  begin(rollbackId: string, targetId: string, stopIfAsked?: () => void): Promise<Restore>;
  /** A rollback that nobody is at, or that is out of sight, if there is one. */
  unfinished(): Unfinished | undefined;
  /** Checkpoints that a rollback needs which is under way or was interrupted, in any work tree of the repository. */
  inUse(): readonly string[];
  /** Waits until no live process is rolling this work tree back; fails when it takes too long. */
  whenIdle(): Promise<void>;
  /** Changes with every rollback of this work tree, also one that began and ended in between. */
  activity(): string;
  /** Finishes or takes back an unfinished rollback. One that may be at work is waited for, unless `takeOver` is its id. */
  recover(steps: RecoverySteps, takeOver?: string): Promise<RecoveryResult | undefined>;
}
