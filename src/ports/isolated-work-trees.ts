/**
 * Work trees of their own for nodes that run side by side, and the merging of what they left.
 *
 * Obligations: a tree has exactly the files of its checkpoint, HEAD at the same commit without a branch, and the same index;
 * it is outside of the user's work tree, and neither `git worktree prune` nor `git gc` takes anything of it. A merge reads and
 * computes only. Nothing here changes the main work tree. Nobody's live tree is ever among the left over ones.
 */
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument, Exclusion } from "../domain/checkpoint.ts";
import type { MarkerLabels, MergeConflict } from "../domain/workflow/merge-conflict.ts";
import type { Capture } from "./work-tree.ts";

export interface IsolatedTree {
  /** Also the work tree id of checkpoints that are taken in it. */
  readonly id: string;
  /** What it was asked for: the name of the node. */
  readonly name: string;
  readonly path: string;
  /** The checkpoint that it began with. */
  readonly baseId: string;
  readonly sessionId: string;
  readonly since: string;
  /** Names the commands of the process that it was made by (`Commands.name`): they may outlive it. Null: nobody knows. */
  readonly commands: string | null;
  /** Files that the node promised: they are its work also where git ignores them. */
  readonly outputs: readonly BytePath[];
}

export interface TreeOrder {
  readonly checkpoint: CheckpointDocument;
  readonly name: string;
  readonly commands?: string;
  readonly outputs?: readonly BytePath[];
}

export interface LeftOverTree extends IsolatedTree {
  /** False: its process died while it was being made or removed, so nobody's work is in it. */
  readonly isWhole: boolean;
}

export interface WaitingTree extends LeftOverTree {
  /** The record that names the folder, where that is no work tree of this repository: it is never removed. */
  readonly foreignRecord?: string;
}

/** What a node left, as a checkpoint of its tree. */
export interface MergeSide {
  readonly name: string;
  readonly checkpoint: CheckpointDocument;
  /** Files that the node promised and that are part of its work although git ignores them. Base and `ours` hold them, too. */
  readonly outputs?: readonly BytePath[];
}

export interface MergeOrder {
  /** Where all results began. */
  readonly base: CheckpointDocument;
  /** The main work tree as it is now, published, and the same moment as a capture: the merged files take its place. */
  readonly ours: CheckpointDocument;
  readonly capture: Capture;
  readonly results: readonly MergeSide[];
}

export interface MergedFiles {
  /** Names of the results that are in it, in their order. With conflicts the last one is that which does not fit. */
  readonly merged: readonly string[];
  /** Empty: it fits. */
  readonly conflicts: readonly MergeConflict[];
  readonly labels: MarkerLabels;
  /** Files that a node has and that no checkpoint of it holds: they are not merged. */
  readonly leftOut: readonly { readonly name: string; readonly exclusion: Exclusion }[];
  /** False: the main work tree has all of it already. */
  readonly isChanged: boolean;
  /** The main work tree as it would be: the same index and HEAD, with the merged files. To be published. */
  readonly capture: Capture;
}

export interface IsolatedWorkTrees {
  make(order: TreeOrder): Promise<IsolatedTree>;
  /** Merges results one after the other, up to the first that does not fit. The capture of the order is used up by it. */
  merge(order: MergeOrder): Promise<MergedFiles>;
  /** Of these files of the main work tree, those that still have the markers. */
  unresolved(paths: readonly BytePath[], labels: MarkerLabels): Promise<BytePath[]>;
  /** Of what a capture of a tree left out, that which would be lost with the tree. What git ignores, and the capture was not asked for, is nobody's work. */
  wouldBeLost(tree: IsolatedTree, excluded: readonly Exclusion[]): Promise<Exclusion[]>;
  /** Whether its folder is there: a node can delete it. */
  isThere(tree: IsolatedTree): Promise<boolean>;
  /** Takes the tree away with everything in it; fine when it is gone already. Refused for a folder that is no work tree of this repository. */
  remove(tree: IsolatedTree): Promise<void>;
  /** Trees whose process is gone. From now on they are this process's: nobody else is given them while it lives. */
  leftOver(): Promise<LeftOverTree[]>;
  /** Trees that nobody works in any more, those of this very process too. Looking gives them to nobody. */
  waiting(): Promise<WaitingTree[]>;
}
