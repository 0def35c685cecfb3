/**
 * The repository that checkpoints are stored in, as a whole.
 *
 * Obligations: what is told to be the store's own is there without anything of the project; what is told to be gone was looked for after
 * it was removed.
 */
import type { ProjectHolders, PurgeTarget } from "../domain/purge.ts";
import type { Progress } from "./progress.ts";

export interface StorageFacts {
  readonly path: string;
  readonly bytes: number;
  readonly packs: number;
  readonly checkpoints: number;
  /** Deleted checkpoints that can be restored. */
  readonly deleted: number;
  readonly sessions: number;
  /** False: it contains every object that its checkpoints need. */
  readonly borrows: boolean;
  readonly borrowed: readonly BorrowedCommit[];
}

export interface BorrowedCommit {
  /** In the project: keeps the commit from being pruned. */
  readonly ref: string;
  readonly commit: string;
}

export interface Ownership {
  /** False: it contained everything before. */
  readonly isNew: boolean;
  readonly objects: number;
  readonly bytes: number;
  readonly released: readonly BorrowedCommit[];
  /** Refs of checkpoints and sessions of which something was missing or damaged before. */
  readonly damaged: readonly string[];
}

export interface Holders {
  /** In the list and in the trash. */
  readonly checkpoints: readonly string[];
  readonly sessions: readonly string[];
  /** Refs of the store that are neither. */
  readonly otherRefs: readonly string[];
  /** Archives in the folder for exports. */
  readonly exports: readonly string[];
  /** Refs and archives that are damaged. */
  readonly unsearched: readonly string[];
  readonly borrowed: readonly BorrowedCommit[];
  /** The object, or the contents that the path has had. */
  readonly objects: readonly string[];
  readonly project: ProjectHolders;
}

export interface Erasure {
  /** Sessions whose history ends where it led to the object. */
  readonly rewritten: readonly string[];
  /** Sessions whose newest version was the object. */
  readonly removed: readonly string[];
  readonly released: readonly BorrowedCommit[];
  /** Objects that the store still contains. */
  readonly left: readonly string[];
  /** False: another process was storing something; the objects go with the next cleanup. */
  readonly isPruned: boolean;
}

export interface Storage {
  describe(): Promise<StorageFacts>;
  /** Copies what is borrowed; then nothing that happens to the project damages a checkpoint. Can be run again after a kill. */
  own(progress: Progress): Promise<Ownership>;
  /** By an id, a part of it or a revision; undefined: there is none. */
  objectNamed(text: string): Promise<PurgeTarget | undefined>;
  holders(target: PurgeTarget, progress: Progress): Promise<Holders>;
  /** After the checkpoints among the holders were removed. */
  erase(holders: Holders): Promise<Erasure>;
}
