/**
 * What a git tree cannot say about a work tree: full mode bits, empty folders, and what was left out.
 * Stored as `worktree.json` beside the trees of a checkpoint.
 */
import { parsePath, showPath, type BytePath } from "./byte-path.ts";
import type { Exclusion, WithheldFile } from "./checkpoint.ts";
import { showMode } from "./file-state.ts";

export interface WorkTreeDetails {
  /** Mode of every plain and every executable file that `modes` does not name. */
  readonly defaults: { readonly plain: number; readonly executable: number };
  readonly modes: ReadonlyMap<BytePath, number>;
  /** Empty folders with their modes. */
  readonly emptyFolders: ReadonlyMap<BytePath, number>;
  readonly excluded: readonly Exclusion[];
  /** Untracked files that are held and must not leave this machine; not there: none. */
  readonly withheld?: readonly WithheldFile[];
}

export const STANDARD_MODES = { plain: 0o644, executable: 0o755 } as const;

export function modeAt(details: WorkTreeDetails, path: BytePath, executable: boolean): number {
  return (
    details.modes.get(path) ?? (executable ? details.defaults.executable : details.defaults.plain)
  );
}

interface StoredDetails {
  schema_version: number;
  default_modes: { plain: string; executable: string };
  modes: Record<string, string>;
  empty_folders: Record<string, string>;
  excluded: Exclusion[];
  withheld?: WithheldFile[];
}

export function encodeDetails(details: WorkTreeDetails): string {
  const stored: StoredDetails = {
    schema_version: 1,
    default_modes: {
      plain: showMode(details.defaults.plain),
      executable: showMode(details.defaults.executable),
    },
    modes: showModes(details.modes),
    empty_folders: showModes(details.emptyFolders),
    excluded: [...details.excluded],
    ...(details.withheld === undefined ? {} : { withheld: [...details.withheld] }),
  };
  return `${JSON.stringify(stored, null, 1)}\n`;
}

export function decodeDetails(text: string): WorkTreeDetails {
  const stored = JSON.parse(text) as StoredDetails;
  return {
    defaults: {
      plain: Number.parseInt(stored.default_modes.plain, 8),
      executable: Number.parseInt(stored.default_modes.executable, 8),
    },
    modes: parseModes(stored.modes),
    emptyFolders: parseModes(stored.empty_folders),
    excluded: stored.excluded,
    ...(stored.withheld === undefined ? {} : { withheld: stored.withheld }),
  };
}

function showModes(modes: ReadonlyMap<BytePath, number>): Record<string, string> {
  const sorted = [...modes].toSorted(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(sorted.map(([path, mode]) => [showPath(path), showMode(mode)]));
}

function parseModes(shown: Record<string, string>): Map<BytePath, number> {
  return new Map(
    Object.entries(shown).map(([path, mode]) => [parsePath(path), Number.parseInt(mode, 8)]),
  );
}

/** Answers whether a checkpoint knows nothing about a path, and why. */
export function unknownPaths(
  excluded: readonly Exclusion[],
): (path: BytePath) => Exclusion | undefined {
  const files = new Map<BytePath, Exclusion>();
  const folders = new Map<BytePath, Exclusion>();
  for (const exclusion of excluded) {
    const isQuoted = exclusion.path.startsWith('"');
    if (!isQuoted && exclusion.path.endsWith("/")) {
      folders.set(parsePath(exclusion.path.slice(0, -1)), exclusion);
    } else if (isQuoted && exclusion.path.endsWith('/"')) {
      folders.set(parsePath(`${exclusion.path.slice(0, -2)}"`), exclusion);
    } else {
      files.set(parsePath(exclusion.path), exclusion);
    }
  }
  return (path) => {
    const exact = files.get(path) ?? folders.get(path);
    if (exact !== undefined) return exact;
    if (folders.size === 0) return undefined;
    for (let slash = path.indexOf("/"); slash >= 0; slash = path.indexOf("/", slash + 1)) {
      const folder = folders.get(path.slice(0, slash) as BytePath);
      if (folder !== undefined) return folder;
    }
    return undefined;
  };
}
