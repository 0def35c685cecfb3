/**
 * What a rollback would do, as a value. Nothing here acts: `--dry-run`, the question and the apply step all read
 * the same plan.
 */
import { ancestorsOf, comparePaths, parsePath, type BytePath } from "./byte-path.ts";
import type { Exclusion, ExclusionReason } from "./checkpoint.ts";
import { isUsualReason } from "./listed-exclusions.ts";
import { sameContent, sameFile, type FileState, type PathChange } from "./file-state.ts";

export type KeepReason = ExclusionReason;

export interface PlannedWrite {
  readonly path: BytePath;
  readonly before: FileState | null;
  readonly target: FileState;
}
export interface PlannedRemoval {
  readonly path: BytePath;
  readonly before: FileState;
}
export interface PlannedMode {
  readonly path: BytePath;
  readonly before: FileState;
  readonly target: FileState;
}
export interface Kept {
  readonly path: BytePath;
  readonly reason: KeepReason;
}

export interface FilePlan {
  readonly write: readonly PlannedWrite[];
  readonly remove: readonly PlannedRemoval[];
  readonly mode: readonly PlannedMode[];
  readonly keep: readonly Kept[];
  /** Empty folders to make, with their modes. */
  readonly makeFolders: ReadonlyMap<BytePath, number>;
  /** Folders that were not there at the target, deepest first; removed only if they are empty by then. */
  readonly removeFolders: readonly BytePath[];
}

export interface FilePlanInput {
  readonly changes: readonly PathChange[];
  /** Why the target knows nothing about a path (excluded there), if so. */
  readonly unknownAtTarget: (path: BytePath) => ExclusionReason | undefined;
  /** Why a path must not be removed (ignored by the rules of now or of the target), if so. */
  readonly protectedFromRemoval: ReadonlyMap<BytePath, KeepReason>;
  readonly emptyFolders: {
    readonly before: ReadonlyMap<BytePath, number>;
    readonly target: ReadonlyMap<BytePath, number>;
  };
  /** True when the target has files below the folder. */
  readonly folderAtTarget: (folder: BytePath) => boolean;
  /** What may be touched. */
  readonly inScope: (path: BytePath, isFolder: boolean) => boolean;
}

export function planFiles(input: FilePlanInput): FilePlan {
  const write: PlannedWrite[] = [];
  const remove: PlannedRemoval[] = [];
  const mode: PlannedMode[] = [];
  const keep: Kept[] = [];
  for (const change of input.changes) {
    const { path, before, target } = change;
    if (!input.inScope(path, false) || sameFile(before, target)) continue;
    const unknown = input.unknownAtTarget(path);
    if (target === null) {
      const reason = unknown ?? input.protectedFromRemoval.get(path);
      if (before === null) continue;
      if (reason === undefined) remove.push({ path, before });
      else keep.push({ path, reason });
    } else if (before !== null && sameContent(before, target)) {
      mode.push({ path, before, target });
    } else {
      write.push({ path, before, target });
    }
  }
  return {
    write: write.toSorted(byPath),
    remove: remove.toSorted(byPath),
    mode: mode.toSorted(byPath),
    keep: keep.toSorted(byPath),
    makeFolders: foldersToMake(input),
    removeFolders: foldersToRemove(input, remove),
  };
}

function byPath(left: { path: BytePath }, right: { path: BytePath }): number {
  return comparePaths(left.path, right.path);
}

function foldersToMake(input: FilePlanInput): Map<BytePath, number> {
  const make = new Map<BytePath, number>();
  for (const [folder, mode] of input.emptyFolders.target) {
    if (input.emptyFolders.before.get(folder) !== mode && input.inScope(folder, true)) {
      make.set(folder, mode);
    }
  }
  return make;
}

/** Folders that only files to be removed, or nothing, kept in existence. */
function foldersToRemove(input: FilePlanInput, remove: readonly PlannedRemoval[]): BytePath[] {
  const candidates = new Set<BytePath>();
  for (const { path } of remove) for (const folder of ancestorsOf(path)) candidates.add(folder);
  for (const folder of input.emptyFolders.before.keys()) {
    if (!input.inScope(folder, true)) continue;
    candidates.add(folder);
    for (const above of ancestorsOf(folder)) candidates.add(above);
  }
  const needed = new Set<BytePath>();
  for (const [folder, mode] of input.emptyFolders.target) {
    // One that is there with another mode is removed and made again.
    const now = input.emptyFolders.before.get(folder);
    if (now === undefined || now === mode) needed.add(folder);
    for (const above of ancestorsOf(folder)) needed.add(above);
  }
  return [...candidates]
    .filter(
      (folder) =>
        !needed.has(folder) &&
        !input.folderAtTarget(folder) &&
        input.unknownAtTarget(folder) === undefined,
    )
    .toSorted((left, right) => right.length - left.length || comparePaths(left, right));
}

export function isEmptyPlan(plan: FilePlan): boolean {
  return (
    plan.write.length + plan.remove.length + plan.mode.length + plan.removeFolders.length === 0 &&
    plan.makeFolders.size === 0
  );
}

/** `isMissing`: it is not on the disk either. */
export interface NotRestored extends Exclusion {
  readonly isMissing: boolean;
}

/**
 * Files that a rollback does not restore because the target, or a checkpoint of now, leaves them out as secrets, as too large and so on: what was
 * done to them stays. What the user has left out (ignored, excluded) is not among them, nor is what the plan names anyway.
 */
export function notRestored(
  plan: FilePlan,
  leftOut: { readonly atTarget: readonly Exclusion[]; readonly now: readonly Exclusion[] },
  inScope: FilePlanInput["inScope"],
  isMissing: (path: BytePath) => boolean,
): readonly NotRestored[] {
  const named = new Set([...touchedPaths(plan), ...plan.keep.map(({ path }) => path)]);
  const found = new Map<string, NotRestored>();
  for (const exclusion of [...leftOut.atTarget, ...leftOut.now]) {
    if (isUsualReason(exclusion.reason) || found.has(exclusion.path)) continue;
    const path = parsePath(exclusion.path);
    const isFolder = path.endsWith("/");
    const plain = isFolder ? (path.slice(0, -1) as BytePath) : path;
    if (named.has(plain) || !inScope(plain, isFolder)) continue;
    found.set(exclusion.path, { ...exclusion, isMissing: isMissing(plain) });
  }
  return [...found.values()].toSorted((left, right) => comparePaths(left.path, right.path));
}

/** Every path that the plan writes, removes or changes: the safety checkpoint must hold each one. */
export function touchedPaths(plan: FilePlan): BytePath[] {
  return [...plan.write, ...plan.remove, ...plan.mode].map((step) => step.path);
}
