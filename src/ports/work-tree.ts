/** The project on disk, as far as a checkpoint is about it. Reading never changes anything. */
import type { BytePath } from "../domain/byte-path.ts";
import type { CapturePolicy } from "../domain/capture-policy.ts";
import type {
  CheckpointDocument,
  Coverage,
  Exclusion,
  FileChanges,
  GitPart,
  GitSummary,
} from "../domain/checkpoint.ts";
import type { PathChange } from "../domain/file-state.ts";
import type { FilePlanInput, KeepReason } from "../domain/rollback-plan.ts";
import type { LocalHalf } from "../domain/local-half.ts";
import type { SecretReason } from "../domain/secrets/secret-text.ts";
import type { PartContent } from "./part-keeper.ts";
import type { WorkTreeDetails } from "../domain/work-tree-details.ts";

export interface CaptureOptions {
  readonly policy: CapturePolicy;
  /** Paths to hold whatever the ignore, budget and secret rules say. */
  readonly include?: ReadonlySet<BytePath>;
  /** Files to hold although git ignores them; every other rule holds for them. */
  readonly evenIfIgnored?: ReadonlySet<BytePath>;
  /** Files, and folders with all that is below, to hold although they look like secrets; every other rule holds for them. */
  readonly includeSecrets?: readonly BytePath[];
  /** Untracked files that another part holds in its own way. */
  readonly leaveOut?: ReadonlySet<BytePath>;
  /** Patterns that it is limited to, as in `src/domain/scope.ts`. Tracked files out of it stay as the index has them. */
  readonly scope?: readonly string[];
  /** Ids of objects that are missing or damaged: they are stored anew from the disk. */
  readonly distrusted?: ReadonlySet<string>;
  /** Files that a process may be writing through a memory map are read, whatever their time stamps say. Takes some 10 ms. */
  readonly readMapped?: boolean;
  /** It is compared and discarded: the content of files is read and not stored, and it cannot be published. */
  readonly onlyLook?: boolean;
  /** Asked between files; throws when the user wishes to stop. */
  readonly stopIfAsked?: () => void;
}

export interface RepositoryDamage {
  /** Tracked files whose content was stored anew from the disk. */
  readonly repaired: readonly BytePath[];
  /** Tracked files whose staged or committed content is lost; what is on the disk is held. */
  readonly lost: readonly BytePath[];
  /** How many objects, folders too. */
  readonly objects: number;
}

/** What the document of its checkpoint says of a moment. */
export interface StoredMoment {
  readonly part: GitPart;
  readonly local?: LocalHalf;
}

/** One moment of the project. It exists only in memory and private files until a store publishes it. */
export interface Capture {
  readonly git: GitSummary;
  /** With everything, also what must not leave this machine. */
  readonly part: GitPart;
  /** After `add`: in two halves. */
  readonly stored: StoredMoment;
  readonly coverage: Coverage;
  readonly details: WorkTreeDetails;
  /** Untracked files that it holds and that look like secrets: not to be shown, and not to leave this machine. */
  readonly withheld: ReadonlyMap<BytePath, SecretReason>;
  /** Digest of everything that makes two moments the same; stat data of the index is not part of it. */
  readonly sameness: string;
  /** Anybody can compute it again from the published checkpoint (docs/storage-format.md). */
  readonly contentHash: string;
  /** Objects of the repository that it needed and found missing or damaged; undefined: none. */
  readonly damage?: RepositoryDamage | undefined;
  /** Completes it: adds files of other parts, beside those of the work tree, and makes its two halves. `part` and `stored` name the new tree then. */
  add(entries: ReadonlyMap<string, PartContent>): Promise<void>;
  discard(): void;
}

/** What lies between the project now and a checkpoint. */
export interface Comparison extends Omit<FilePlanInput, "inScope" | "protectedFromRemoval"> {
  /** What the checkpoint does not hold, and why. */
  readonly excludedAtTarget: readonly Exclusion[];
  /** Of these paths, those that must not be removed: ignored by the rules of now or of the checkpoint. */
  protect(paths: readonly BytePath[]): Promise<Map<BytePath, KeepReason>>;
  /** Paths on disk that stand where the checkpoint has folders or files, and that the capture does not hold. */
  inTheWay(paths: readonly BytePath[]): BytePath[];
  /** Nothing is on the disk there. */
  isMissing(path: BytePath): boolean;
  /** Logs of databases that lie beside these files: they belong to the file that is there now, whatever rules say about them. */
  logsBeside(files: readonly BytePath[]): BytePath[];
  /** Of these paths, such logs whose file is on the disk and not among them, with that file. */
  logsWithoutFile(paths: readonly BytePath[]): Map<BytePath, BytePath>;
}

export interface UnmatchedPattern {
  readonly pattern: string;
  /** A path that was probably meant. */
  readonly nearest: string | undefined;
}

export interface WorkTree {
  readonly id: string;
  readonly root: string;
  capture(options: CaptureOptions): Promise<Capture>;
  /** Makes the next capture quicker by what this one has learned, which is not published. Whether it does is nobody's concern. */
  remember(capture: Capture): void;
  /** Ids of objects that a capture needs for these paths, for the index and the operation, and that are missing or damaged. All are read. */
  damagedIn(
    capture: Capture,
    paths: readonly BytePath[],
    stopIfAsked?: () => void,
  ): Promise<ReadonlySet<string>>;
  /** Files that changed from a checkpoint to a capture. */
  changesSince(previous: CheckpointDocument | undefined, capture: Capture): Promise<FileChanges>;
  /** The content hash of a capture, with what a checkpoint holds beside the work tree: after that was restored. */
  contentHashWith(capture: Capture, checkpoint: CheckpointDocument): Promise<string>;
  compare(capture: Capture, target: CheckpointDocument): Promise<Comparison>;
  /** Of these paths, those under which a checkpoint holds a file; for a folder, which ends with a slash, all files in it. */
  pathsIn(checkpoint: CheckpointDocument, paths: readonly BytePath[]): Promise<BytePath[]>;
  /** Files of a checkpoint's work tree that its scope covers. */
  filesInScope(checkpoint: CheckpointDocument): Promise<BytePath[]>;
  /** True when a checkpoint's work tree has this path. */
  holds(checkpoint: CheckpointDocument, path: BytePath): Promise<boolean>;
  /** The same for anything but a folder. */
  holdsFile(checkpoint: CheckpointDocument, path: BytePath): Promise<boolean>;
  /** True for a folder with something in it that a checkpoint holds, and for an empty one that it holds. */
  holdsFolder(checkpoint: CheckpointDocument, folder: BytePath): Promise<boolean>;
  /** Patterns of a scope that match no file: tracked, untracked, ignored or outside. */
  unmatched(scope: readonly string[]): Promise<readonly UnmatchedPattern[]>;
  /** Of these changes, the paths whose present content a checkpoint holds under the same name. */
  heldBy(
    checkpoint: CheckpointDocument | undefined,
    changes: readonly PathChange[],
  ): Promise<ReadonlySet<BytePath>>;
}
