/** Merges what a git tree cannot say about files: full mode bits and empty folders. */
import { ancestorsOf, type BytePath } from "./byte-path.ts";
import type { EntryMode } from "./file-state.ts";
import { modeAt, type WorkTreeDetails } from "./work-tree-details.ts";

/** What a tree has under a path. */
export type EntryAt = (path: BytePath) => EntryMode | undefined;

export interface DetailsSide {
  readonly details: WorkTreeDetails;
  readonly entryAt: EntryAt;
}

export interface DetailsMerge {
  readonly base: DetailsSide;
  readonly ours: DetailsSide;
  readonly theirs: DetailsSide;
  readonly merged: EntryAt;
}

/** Paths whose entries have to be known: all others are the same on every side. `changed`: where merged differs from ours. */
export function pathsToKnow(
  sides: readonly [base: WorkTreeDetails, ours: WorkTreeDetails, theirs: WorkTreeDetails],
  changed: readonly BytePath[],
): Set<BytePath> {
  const asked = new Set(changed);
  for (const path of differing(sides.map(({ modes }) => modes))) asked.add(path);
  for (const path of differing(sides.map(({ emptyFolders }) => emptyFolders))) {
    asked.add(path);
    for (const folder of ancestorsOf(path)) asked.add(folder);
  }
  return asked;
}

function differing(sides: readonly ReadonlyMap<BytePath, number>[]): BytePath[] {
  const all = new Set(sides.flatMap((side) => [...side.keys()]));
  return [...all].filter((path) => new Set(sides.map((side) => side.get(path))).size > 1);
}

/** What one side changed counts; where both did, what ours has. What ours left out stays left out. */
export function mergeDetails(merge: DetailsMerge, asked: ReadonlySet<BytePath>): WorkTreeDetails {
  const { details } = merge.ours;
  const modes = new Map(details.modes);
  const emptyFolders = new Map(details.emptyFolders);
  for (const path of asked) {
    const mode = fileMode(merge, path);
    if (mode === undefined) modes.delete(path);
    else modes.set(path, mode);
    const folder = folderMode(merge, path);
    if (folder === undefined) emptyFolders.delete(path);
    else emptyFolders.set(path, folder);
  }
  const withheld = new Map(
    [...(merge.theirs.details.withheld ?? []), ...(details.withheld ?? [])].map((file) => [
      file.path,
      file,
    ]),
  );
  const files = withheld.size === 0 ? {} : { withheld: [...withheld.values()] };
  return { ...details, modes, emptyFolders, ...files };
}

/** Undefined: the usual one, or no plain file. */
function fileMode(
  { base, ours, theirs, merged }: DetailsMerge,
  path: BytePath,
): number | undefined {
  const entry = merged(path);
  if (!isFile(entry)) return undefined;
  const { defaults } = ours.details;
  const usual = entry === "100755" ? defaults.executable : defaults.plain;
  const [b, o, t] = [modeOf(base, path), modeOf(ours, path), modeOf(theirs, path)];
  const mode = o === undefined || t === undefined ? (o ?? t) : o === b ? t : o;
  // Git has decided who may execute it.
  const fits = mode !== undefined && ((mode & 0o100) !== 0) === (entry === "100755");
  return !fits || mode === usual ? undefined : mode;
}

function modeOf({ details, entryAt }: DetailsSide, path: BytePath): number | undefined {
  const entry = entryAt(path);
  return isFile(entry) ? modeAt(details, path, entry === "100755") : undefined;
}

function isFile(entry: EntryMode | undefined): boolean {
  return entry === "100644" || entry === "100755";
}

/** Undefined: not there, or not empty. */
function folderMode(
  { base, ours, theirs, merged }: DetailsMerge,
  path: BytePath,
): number | undefined {
  const [b, o, t] = [base, ours, theirs].map(({ details }) => details.emptyFolders.get(path));
  const isTaken = ancestorsOf(path).some((folder) => {
    const entry = merged(folder);
    return entry !== undefined && entry !== "040000";
  });
  if (isTaken || merged(path) !== undefined) return undefined;
  return o === b ? t : o;
}
