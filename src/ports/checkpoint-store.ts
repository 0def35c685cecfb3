/**
 * Where checkpoints live.
 *
 * Obligations: a published checkpoint is complete and durable, or it is not there; an id is given once; documents come
 * back exactly as they were given, unknown fields too; a damaged or newer one is listed as such and never hides the
 * others. The contract suite beside this file holds every store to it.
 */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { CheckpointGlance } from "../domain/checkpoint-glance.ts";
import type { LocalEntry } from "../domain/local-half.ts";
import type { Progress } from "./progress.ts";
import type { Capture } from "./work-tree.ts";

export type StoredCheckpoint<Document = CheckpointDocument> =
  | { readonly kind: "ok"; readonly id: string; readonly document: Document }
  | {
      readonly kind: "damaged";
      readonly id: string;
      readonly problem: string;
    }
  | { readonly kind: "newer"; readonly id: string; readonly version: number };

export interface Draft {
  readonly document: CheckpointDocument;
  readonly capture: Capture;
  /** Commits to keep alive besides those that the capture names: old tips of refs that are about to move. */
  readonly keepAlive: readonly string[];
}

export type PublishResult =
  | {
      readonly kind: "published";
      /** What could not be done beside it, such as a tag that is in the way of ours. */
      readonly warnings?: readonly string[];
    }
  | { readonly kind: "id_taken" }
  /** Something that the capture relied on is gone; take a new capture. */
  | { readonly kind: "outdated" };

/** One line of `validate`. */
export interface Integrity {
  readonly id: string;
  /** The commit and its document can be read. */
  readonly file: boolean;
  /** The document's checksum is right. */
  readonly hash: boolean;
  /** Every object is there and whole. */
  readonly git: boolean;
  /** The document is valid by its schema. */
  readonly state: boolean;
  /** A newer Waymark wrote it: it was not checked, and is not damaged as far as anyone knows. */
  readonly newer?: boolean;
  /** Of its local half, which stays on the machine where it was taken. */
  readonly notHere?: readonly LocalEntry[];
  readonly problems: readonly string[];
}

export interface CheckpointStore {
  /** Ids of every checkpoint, also in the trash, as far as they can be told at once; empty where that would take a process. For short forms of them. */
  ids(): readonly string[];
  publish(draft: Draft): Promise<PublishResult>;
  /** Every checkpoint, in no particular order. */
  list(): Promise<StoredCheckpoint[]>;
  /**
   * The same for lists that people look at: what is told of a checkpoint may be what was read of it before, as long as nothing of what
   * it was read from has changed. Nothing is decided by it.
   */
  glance(): Promise<StoredCheckpoint<CheckpointGlance>[]>;
  read(id: string): Promise<StoredCheckpoint | undefined>;
  /** Whether this part of a checkpoint's local half is here. A dump that an earlier version wrote into the checkpoint itself is. */
  isHere(document: CheckpointDocument, entry: LocalEntry): Promise<boolean>;
  /** A file of a checkpoint's tree, in one half or the other, by its path there (a BytePath). Fails with checkpoint_damaged when it is not there or not whole. */
  entry(id: string, name: string): Promise<Buffer>;
  /** The SHA-256 of one, however large it is. */
  entrySha256(id: string, name: string): Promise<string>;
  /** Writes one to a new file that only the user can read, however large it is. */
  extractEntry(id: string, name: string, to: string): Promise<void>;
  /** True for one that was taken in another repository and imported. */
  isForeign(id: string): boolean;
  /** True when this very document was written here, by this user. One that came by `git fetch` is neither this nor known as foreign. */
  isMadeHere(document: CheckpointDocument): boolean;
  /** Fails with checkpoint_damaged when it was not made here and an import would refuse it. Asked before anything is written from it. */
  refuseHarmful(document: CheckpointDocument): Promise<void>;
  /** Reads every object of these checkpoints; all of them when no ids are given. */
  verify(ids?: readonly string[], progress?: Progress): Promise<Integrity[]>;
  /** Deleted checkpoints that can be brought back, in no particular order. */
  listTrash(): Promise<StoredCheckpoint[]>;
  /**
   * Moves checkpoints into the trash in one step: no list and no selector finds them there, and nothing of them is
   * lost. Answers with the ids that were moved; one that is not there or too damaged to be kept is not among them.
   */
  trash(ids: readonly string[]): Promise<string[]>;
  /**
   * Brings checkpoints back from the trash in one step, as they were. Answers with the ids that were brought back; one
   * that is not in the trash, or whose id was given again meanwhile, is not among them.
   */
  restore(ids: readonly string[]): Promise<string[]>;
  /** Gives checkpoints that were pinned the tag that the settings ask for. Answers with what kept some from getting one. */
  tagPinned(ids: readonly string[]): Promise<string[]>;
  /**
   * Removes checkpoints from the trash for good, in one step. One of the same id that is not in the trash stays; the answer, those that
   * are gone, does not have it.
   */
  purge(ids: readonly string[]): Promise<string[]>;
  /** Ids of local halves that were made before that time and whose checkpoints are gone, as after a ref was removed by hand. */
  strays(before: Date): Promise<readonly string[]>;
  /** Removes those that still are; the answer has them. */
  removeStrays(ids: readonly string[]): Promise<string[]>;
  /**
   * Removes checkpoints for good, in one step, also from the trash and also damaged ones. Answers with those that were there. `frees`: what
   * only they needed is removed from the disk now, not with the next cleanup.
   */
  remove(ids: readonly string[], options?: { readonly frees: boolean }): Promise<string[]>;
}
