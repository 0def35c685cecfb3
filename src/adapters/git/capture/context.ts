/** What every step of a capture shares. */
import { asFailure } from "../../../domain/system-error.ts";
import { comparePaths, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { CapturePolicy } from "../../../domain/capture-policy.ts";
import type { Exclusion, ExclusionReason, WithheldFile } from "../../../domain/checkpoint.ts";
import type { SecretReason } from "../../../domain/secrets/secret-text.ts";
import type { ScopeFilter } from "../../../domain/scope.ts";
import { type RootFolder } from "../../files/byte-names.ts";
import type { DiskClock } from "../../files/disk-clock.ts";
import type { BlobSink } from "../../files/stable-read.ts";
import type { CachedFile, CaptureCache } from "../capture-cache.ts";
import type { IndexDifference } from "../index-difference.ts";
import type { IndexFile } from "../index-file.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { PackSpool } from "../pack-spool.ts";
import type { Repository } from "../repository.ts";
import type { GitSettings } from "../settings.ts";
import type { Leaf } from "../tree-builder.ts";

export interface CaptureContext {
  readonly repository: Repository;
  readonly root: RootFolder;
  readonly reader: ObjectReader;
  readonly settings: GitSettings;
  readonly index: IndexFile | undefined;
  readonly cache: CaptureCache;
  /** Objects that are missing or damaged, whoever is said to hold them. */
  readonly bad: ReadonlySet<string>;
  /** Lengths of some objects. */
  readonly sizes: ReadonlyMap<string, number>;
  /** Between the index and the one that was examined last; undefined: nothing is known of that one. */
  readonly difference: IndexDifference | undefined;
  readonly spool: PackSpool;
  readonly policy: CapturePolicy;
  /** Captured whatever the rules say: a rollback is about to touch them. */
  readonly include: ReadonlySet<BytePath>;
  /** Captured although git ignores them: somebody promised them, or an earlier checkpoint holds them. */
  readonly evenIfIgnored: ReadonlySet<BytePath>;
  /** Untracked files that another part holds. */
  readonly leaveOut: ReadonlySet<BytePath>;
  /** Captured although it looks like a secret: somebody named it. */
  readonly includesSecret: (path: BytePath) => boolean;
  /** Undefined: everything. */
  readonly scope: ScopeFilter | undefined;
  readonly findings: Findings;
  readonly clock: DiskClock;
  /** Their time stamps say nothing. */
  readonly mapped: ReadonlySet<BytePath>;
  /** Called for each file that was read: counts it, and pauses when it is time for that. */
  readonly afterRead: (bytes: number) => Promise<void> | undefined;
}

/** What a capture has found out so far. */
export class Findings {
  /** Differences of the work tree from the index. */
  readonly changes = new Map<BytePath, Leaf | null>();
  /** Full modes that are not the default of their kind. */
  readonly modes = new Map<BytePath, number>();
  readonly emptyFolders = new Map<BytePath, number>();
  readonly excluded: Exclusion[] = [];
  readonly unstable: BytePath[] = [];
  /** Untracked files that are held and look like secrets: they must not leave this machine. */
  readonly withheld = new Map<BytePath, SecretReason>();
  /** Those of them that were let in by name. */
  readonly includedSecrets: BytePath[] = [];
  /** Blobs that the checkpoint needs besides those of the index. */
  readonly blobs = new Set<string>();
  /** For the next capture. */
  readonly files = new Map<BytePath, CachedFile>();
  bytes = 0;
  untracked = 0;
  unstaged = 0;
  deleted = 0;

  exclude(path: BytePath, reason: ExclusionReason, size: number | null, isFolder = false): void {
    const shown = showPath((isFolder ? `${path}/` : path) as BytePath);
    this.excluded.push({ path: shown, reason, size });
  }

  excludeSecret(path: BytePath, size: number, why: SecretReason): void {
    this.excluded.push({ path: showPath(path), size, ...why });
  }
}

/** As documents have it; undefined: there is none. */
export function withheldFiles(
  withheld: ReadonlyMap<BytePath, SecretReason>,
): { readonly withheld: readonly WithheldFile[] } | undefined {
  if (withheld.size === 0) return undefined;
  const sorted = [...withheld].toSorted(([left], [right]) => comparePaths(left, right));
  return { withheld: sorted.map(([path, why]) => ({ path: showPath(path), ...why })) };
}

/** Modes that files get without anybody's wish, by the user's umask. */
export interface DefaultModes {
  readonly plain: number;
  readonly executable: number;
}

export function defaultModes(): DefaultModes {
  const mask = process.umask();
  return { plain: 0o666 & ~mask, executable: 0o777 & ~mask };
}

export function noteMode(
  context: CaptureContext,
  path: BytePath,
  leaf: Leaf,
  mode: number,
  defaults: DefaultModes,
): void {
  const expected = leaf.mode === "100755" ? defaults.executable : defaults.plain;
  if (mode === expected) context.findings.modes.delete(path);
  else context.findings.modes.set(path, mode);
}

/**
 * A blob that the index or the last checkpoint holds is not stored again, unless it is missing or damaged. What goes wrong here is about our own files: it must not
 * be taken for a file of the project that is gone or cannot be read.
 */
export function sinkFor(context: CaptureContext, indexOid: string | undefined): BlobSink {
  const { spool, cache, bad } = context;
  return {
    wants: (oid) =>
      spool.keeps && (oid !== indexOid || bad.has(oid)) && !cache.held.has(oid) && !spool.has(oid),
    add: (oid, content) => {
      try {
        spool.add(oid, "blob", content);
      } catch (error) {
        throw asFailure(error, STORING);
      }
    },
    addLarge: async (fd, size) => {
      try {
        return await spool.addLarge(fd, size);
      } catch (error) {
        throw asFailure(error, STORING);
      }
    },
  };
}

const STORING = "storing the content of the checkpoint";
