/**
 * Makes damaged checkpoints whole again, as far as that is possible.
 *
 * Obligations: nothing is believed that does not have the id that was asked for; what is damaged is kept until what
 * replaces it is safe, and the old document of a checkpoint that is written anew is kept inside the new one.
 */
import type { Progress } from "./progress.ts";

export interface RepairedPiece {
  /** The object's id; null for the ref. */
  readonly object: string | null;
  readonly type: "commit" | "tree" | "blob" | "ref";
  /** Where it stands in the checkpoint. */
  readonly path: string;
  /** Where it was found. */
  readonly source: string;
}

export interface MissingPiece {
  readonly object: string;
  readonly type: "commit" | "tree" | "blob";
  readonly path: string;
}

export interface RebuildOrder {
  readonly id: string;
  /** Another clone, an archive, or a remote of this repository. */
  readonly from: string | undefined;
  /** Nothing is made again that was not found. */
  readonly exactly: boolean;
  /** For what nobody knows any more. */
  readonly sessionId: string;
  readonly at: Date;
  readonly progress: Progress;
}

export interface RebuildReport {
  readonly repaired: readonly RepairedPiece[];
  /** Empty when the checkpoint is whole now. */
  readonly missing: readonly MissingPiece[];
  /** Null: the checkpoint is what it was. Otherwise it was written anew. */
  readonly remade: Remade | null;
}

export interface Remade {
  /** What was made again and not found. */
  readonly parts: readonly string[];
  /** Fields that nobody knows any more. */
  readonly unknown: readonly string[];
  /** Fields that were taken from the damaged document and cannot be checked. */
  readonly unverified: readonly string[];
}

export interface Rebuilder {
  rebuild(order: RebuildOrder): Promise<RebuildReport>;
}
