/**
 * Where checkpoints live.
 *
 * Obligations: a published checkpoint is complete and durable, or it is not there; an id is given once; documents come
 * back exactly as they were given, unknown fields too; a damaged or newer one is listed as such and never hides the
 * others. The contract suite beside this file holds every store to it.
 */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { Progress } from "./progress.ts";
import type { Capture } from "./work-tree.ts";

export type StoredCheckpoint =
  | { readonly kind: "ok"; readonly id: string; readonly document: CheckpointDocument }
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
  | { readonly kind: "published" }
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
  readonly problems: readonly string[];
}

export interface CheckpointStore {
  publish(draft: Draft): Promise<PublishResult>;
  /** Every checkpoint, in no particular order. */
  list(): Promise<StoredCheckpoint[]>;
  read(id: string): Promise<StoredCheckpoint | undefined>;
  /** Reads every object of these checkpoints; all of them when no ids are given. */
  verify(ids?: readonly string[], progress?: Progress): Promise<Integrity[]>;
  remove(id: string): Promise<boolean>;
}
