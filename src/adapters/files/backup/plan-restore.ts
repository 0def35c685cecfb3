/** What a restore of a file backup has to change, by a look at the disk. Changes nothing. */
import { ancestorsOf, asBytePath, type BytePath } from "../../../domain/byte-path.ts";
import { isOutside, stateOf, type BackupEntry } from "../../../domain/file-backup.ts";
import { sameContent, type FileState, type PathChange } from "../../../domain/file-state.ts";
import { pathMatcher, type PathMatcher } from "../../../domain/path-pattern.ts";
import { planFiles, type FilePlan } from "../../../domain/rollback-plan.ts";
import { unknownPaths } from "../../../domain/work-tree-details.ts";
import type { Exclusion } from "../../../domain/checkpoint.ts";
import type { PartKept } from "../../../ports/part-keeper.ts";
import { showPath } from "../../../domain/byte-path.ts";
import { rootFolder } from "../byte-names.ts";
import type { FileMover, Presence } from "../exchange/file-mover.ts";
import type { Area } from "../exchange/steps.ts";
import { emptyFolderMode } from "../untracked-walk.ts";

export interface Wish {
  readonly to: ReadonlyMap<BytePath, BackupEntry>;
  readonly expected: ReadonlyMap<BytePath, BackupEntry>;
  /** What `to` knows nothing about. */
  readonly leftOut: readonly Exclusion[];
  /** Folders that were not there at `to`. */
  readonly absentFolders: readonly BytePath[];
  /** What a rollback brought that is taken back now: it is known that `to` did not have the rest of it. */
  readonly brought: ReadonlyMap<BytePath, BackupEntry>;
  /** Folders that the backup covers: those may be removed with their last file, as may those in the place of a file. */
  readonly covers: PathMatcher;
}

export interface Decision {
  readonly plan: FilePlan;
  readonly kept: readonly PartKept[];
}

export const CHANGED_SINCE = "it was changed since and was kept";

export function areaOf(path: BytePath): { readonly area: Area; readonly path: BytePath } {
  return isOutside(path)
    ? { area: "outside", path: asBytePath(path.slice(1)) }
    : { area: "project", path };
}

/** The other way round. */
export function wholePath(step: { readonly area: Area; readonly path: BytePath }): BytePath {
  return step.area === "outside" ? asBytePath(`/${step.path}`) : step.path;
}

/** Answers for paths of both kinds. */
export function coverage(patterns: readonly string[], outside: readonly string[]): PathMatcher {
  const inProject = pathMatcher(patterns);
  const elsewhere = pathMatcher(outside);
  return (path, isFolder) =>
    isOutside(path) ? elsewhere(asBytePath(path.slice(1)), isFolder) : inProject(path, isFolder);
}

export function planRestore(wish: Wish, mover: FileMover, root: string): Decision {
  const changes: PathChange[] = [];
  const kept: PartKept[] = [];
  for (const path of new Set([...wish.to.keys(), ...wish.expected.keys()])) {
    const target = stateOf(wish.to.get(path));
    const expected = stateOf(wish.expected.get(path));
    const { area, path: below } = areaOf(path);
    const now = mover.look(area, below);
    const isFolder = mover.isFolder(area, below);
    const before = beforeOf(now, isFolder, expected, target);
    if (before === "foreign") kept.push({ what: showPath(path), reason: CHANGED_SINCE });
    else changes.push({ path, before, target });
  }
  const emptyFolders = { before: emptyNow(wish, root), target: foldersIn(wish.to) };
  const atTarget = new Set([...wish.to.keys()].flatMap((path) => ancestorsOf(path)));
  const leftOut = unknownPaths(wish.leftOut);
  // The restore that brought it looked for it first, and found nothing.
  const isBrought = (path: BytePath): boolean =>
    sameContent(stateOf(wish.brought.get(path)), stateOf(wish.expected.get(path))) &&
    wish.brought.has(path);
  const unknown = (path: BytePath): Exclusion | undefined =>
    isBrought(path) ? undefined : leftOut(path);
  const plan = planFiles({
    changes,
    unknownAtTarget: (path) => unknown(path)?.reason,
    protectedFromRemoval: new Map(),
    emptyFolders,
    folderAtTarget: (folder) => atTarget.has(folder),
    inScope: () => true,
  });
  const absent = wish.absentFolders.filter((folder) => !atTarget.has(folder));
  const remove = new Set([
    ...plan.removeFolders.filter((folder) => wish.covers(folder, true) || wish.to.has(folder)),
    ...absent.filter((folder) => !emptyFolders.target.has(folder)),
  ]);
  const removeFolders = [...remove].toSorted((left, right) => right.length - left.length);
  return { plan: { ...plan, removeFolders }, kept };
}

/** What the restore takes away there; nothing of that is lost by it. */
function beforeOf(
  now: Presence,
  isFolder: boolean,
  expected: FileState | null,
  target: FileState | null,
): FileState | null | "foreign" {
  if (now.kind === "absent") return null;
  // Whether a folder in the place of a file can go is looked at with what is in it.
  if (now.kind === "other") return isFolder ? null : "foreign";
  const { state } = now;
  if (sameContent(state, target)) {
    const isOurs = state.mode === target?.mode || state.mode === expected?.mode;
    return isOurs ? state : "foreign";
  }
  return sameContent(state, expected) ? state : "foreign";
}

function foldersIn(entries: ReadonlyMap<BytePath, BackupEntry>): Map<BytePath, number> {
  return new Map(
    [...entries.values()].flatMap((entry) =>
      entry.type === "folder" ? [[entry.path, entry.mode] as const] : [],
    ),
  );
}

function emptyNow(wish: Wish, root: string): Map<BytePath, number> {
  const found = new Map<BytePath, number>();
  for (const path of [...foldersIn(wish.to).keys(), ...foldersIn(wish.expected).keys()]) {
    const { area, path: below } = areaOf(path);
    const mode = emptyFolderMode(rootFolder(area === "outside" ? "/" : root), below);
    if (mode !== undefined) found.set(path, mode);
  }
  return found;
}
