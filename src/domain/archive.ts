/** What an archive (the file that `export` writes) says about itself, and how large one may be. */

export const ARCHIVE_VERSION = 1;

export interface ArchiveManifest {
  readonly schema_version: number;
  readonly kind: "waymark_archive";
  readonly created_at: string;
  /** Name of the project's folder; only for people. */
  readonly project: string;
  readonly object_format: "sha1" | "sha256";
  readonly checkpoints: readonly {
    readonly id: string;
    readonly commit: string;
    readonly session_id: string;
    readonly created_at: string;
    /** The commit with what of its local half came along. */
    readonly local?: string | undefined;
  }[];
  readonly sessions: readonly { readonly id: string; readonly commit: string }[];
  /** Commits that are not in the archive and that the reader has to have. */
  readonly basis: readonly string[];
}

/** How much an archive may unfold to. A few kilobytes can hold terabytes of zeros. */
export interface ArchiveLimits {
  /** All objects together, unpacked. */
  readonly contentBytes: number;
  /** One object, unpacked: git holds it in memory. */
  readonly objectBytes: number;
  readonly objects: number;
  /** Objects that are stored as the difference to the one before them, in a row. */
  readonly deltaDepth: number;
  /** Folders within folders; git itself walks them by recursion. */
  readonly treeDepth: number;
}

const MB = 1_000_000;
const DEFAULT_MB = 1024;
/** History of text packs well: 80 times smaller is common, and a bomb is a thousand times. */
const MOST_UNFOLDING = 200;
/** Git's own highest settings for packs and trees. */
const FIXED = { objects: 20_000_000, deltaDepth: 4095, treeDepth: 2048 };

/** Without a number of the user's own, the size of the file decides. */
export function archiveLimits(fileBytes: number, maxSizeMb?: number): ArchiveLimits {
  const objectBytes = (maxSizeMb ?? DEFAULT_MB) * MB;
  return {
    contentBytes:
      maxSizeMb === undefined ? Math.max(objectBytes, fileBytes * MOST_UNFOLDING) : objectBytes,
    objectBytes,
    ...FIXED,
  };
}

/** For archives that we wrote ourselves a moment ago. */
export const NO_SIZE_LIMIT: ArchiveLimits = {
  contentBytes: Number.POSITIVE_INFINITY,
  objectBytes: Number.POSITIVE_INFINITY,
  ...FIXED,
};
