/**
 * What files were at each of several moments, and the project with some of them as they would be otherwise.
 *
 * Obligations: reads and computes only. Bytes are raw: no filter, no conversion of line ends, and no program that the project names for merging
 * is run. What a checkpoint left out is unknown, never absent.
 */
import type { BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { FileState } from "../domain/file-state.ts";
import type { Seen } from "../domain/selective/replay.ts";
import type { Capture } from "./work-tree.ts";

export interface SeenChange {
  readonly path: BytePath;
  readonly before: Seen;
  readonly after: Seen;
}

export interface FileHistory {
  /** What differs between two moments; undefined: now. Submodules are not looked at. */
  changes(before: CheckpointDocument, after: CheckpointDocument | undefined): Promise<SeenChange[]>;
  /** Git's merge of three contents; undefined where the same lines were changed, or one of them is no text. */
  merge(ours: string, base: string, theirs: string): Promise<string | undefined>;
  /**
   * Of these paths, where something is to come back, those that something else has taken: a file, or a folder with anything in it that does
   * not go.
   */
  taken(coming: readonly BytePath[], going: ReadonlySet<BytePath>): Promise<BytePath[]>;
  /**
   * The capture with these files in it; null: without. Folders that lose their last file stay where `emptyFolders` has them. To be
   * published; the capture is used up.
   */
  withFiles(
    files: ReadonlyMap<BytePath, FileState | null>,
    emptyFolders: CheckpointDocument,
  ): Promise<Capture>;
  close(): void;
}

export interface FileHistories {
  /** The history that ends with this capture. */
  open(capture: Capture): Promise<FileHistory>;
}
