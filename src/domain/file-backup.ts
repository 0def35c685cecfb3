/**
 * What a file backup holds, as its manifest says it. Paths from the root of the project stand as they are; one that begins with a
 * slash is outside of the project.
 */
import { isRecord } from "./is-record.ts";
import { comparePaths, parsePath, showPath, type BytePath } from "./byte-path.ts";
import { EXCLUSION_REASONS, type Exclusion, type ExclusionReason } from "./checkpoint.ts";
import { showMode, type FileState } from "./file-state.ts";
import { isHostilePath } from "./hostile-path.ts";

export type BackupEntry =
  | {
      readonly type: "file";
      readonly path: BytePath;
      readonly sha256: string;
      readonly size: number;
      readonly mode: number;
    }
  /** `sha256` is that of the target; a link is in no other place than here. */
  | {
      readonly type: "link";
      readonly path: BytePath;
      readonly sha256: string;
      readonly target: BytePath;
    }
  /** An empty folder. */
  | { readonly type: "folder"; readonly path: BytePath; readonly mode: number };

export interface BackupManifest {
  /** In the order of their paths. */
  readonly entries: readonly BackupEntry[];
  /** What the patterns cover and the backup does not know anything about. */
  readonly leftOut: readonly Exclusion[];
  /** Folders that were not there and that a restore may have made since. */
  readonly absentFolders: readonly BytePath[];
}

export const MANIFEST_ENTRY = "files/manifest.json";

/** The path of its content in the local half of the checkpoint. */
export function entryOf(path: BytePath): string {
  return isOutside(path) ? `files/outside${path}` : `files/project/${path}`;
}

export function isOutside(path: BytePath): boolean {
  return path.startsWith("/");
}

export function stateOf(entry: BackupEntry | undefined): FileState | null {
  if (entry === undefined || entry.type === "folder") return null;
  const mode = entry.type === "file" ? entry.mode : 0;
  return { type: entry.type, oid: entry.sha256, mode };
}

interface StoredEntry {
  readonly path: string;
  readonly place: "project" | "outside";
  readonly type: BackupEntry["type"];
  readonly sha256?: string;
  readonly size?: number;
  readonly mode?: string;
  readonly target?: string;
}

/** The same content gives the same text. */
export function encodeManifest(manifest: BackupManifest): string {
  const byPath = (left: { path: string }, right: { path: string }): number =>
    comparePaths(left.path, right.path);
  const stored = {
    schema_version: 1,
    files: manifest.entries.toSorted(byPath).map(storedEntry),
    // Sizes do not count: a growing log that is left out is no difference.
    left_out: manifest.leftOut
      .toSorted(byPath)
      .map(({ path, reason }) => ({ path, reason, size: null })),
    absent_folders: manifest.absentFolders.map(showPath).toSorted(comparePaths),
  };
  return `${JSON.stringify(stored, null, 1)}\n`;
}

function storedEntry(entry: BackupEntry): StoredEntry {
  const place = isOutside(entry.path) ? "outside" : "project";
  const common = { path: showPath(entry.path), place, type: entry.type } as const;
  switch (entry.type) {
    case "file":
      return { ...common, sha256: entry.sha256, size: entry.size, mode: showMode(entry.mode) };
    case "link":
      return { ...common, sha256: entry.sha256, target: showPath(entry.target) };
    case "folder":
      return { ...common, mode: showMode(entry.mode) };
  }
}

/** The manifest, or what is wrong with the text. Nothing in it leads anywhere that a backup must not go. */
export function decodeManifest(text: string, foldsCase: boolean): BackupManifest | string {
  let stored: unknown;
  try {
    stored = JSON.parse(text);
  } catch {
    return "it is not JSON";
  }
  if (!isRecord(stored)) return "it is not an object";
  const { files, left_out: leftOut, absent_folders: absent } = stored;
  if (stored["schema_version"] !== 1) return "its format is unknown";
  if (!Array.isArray(files) || !Array.isArray(leftOut) || !Array.isArray(absent)) {
    return "a list is missing";
  }
  const entries: BackupEntry[] = [];
  const seen = new Set<BytePath>();
  for (const item of files) {
    const entry = isRecord(item) ? readEntry(item) : undefined;
    if (entry === undefined) return "an entry is invalid";
    if (isForbidden(entry.path, foldsCase)) return `it names ${showPath(entry.path)}`;
    if (seen.has(entry.path)) return `it names ${showPath(entry.path)} twice`;
    seen.add(entry.path);
    entries.push(entry);
  }
  const excluded: Exclusion[] = [];
  for (const item of leftOut) {
    const reason = isRecord(item) ? reasonOf(item["reason"]) : undefined;
    if (!isRecord(item) || typeof item["path"] !== "string" || reason === undefined) {
      return "an entry is invalid";
    }
    excluded.push({ path: item["path"], reason, size: null });
  }
  const absentFolders: BytePath[] = [];
  for (const item of absent) {
    if (typeof item !== "string") return "an entry is invalid";
    const folder = parsePath(item);
    if (isForbidden(folder, foldsCase)) return `it names ${showPath(folder)}`;
    absentFolders.push(folder);
  }
  return { entries, leftOut: excluded, absentFolders };
}

/** Where Waymark keeps its own files. */
const OWN = ".checkpoints";

export function isForbidden(path: BytePath, foldsCase: boolean): boolean {
  const below = isOutside(path) ? (path.slice(1) as BytePath) : path;
  const first = below.split("/")[0] ?? "";
  const isOwn = (foldsCase ? first.toLowerCase() : first) === OWN && !isOutside(path);
  return isOwn || isHostilePath(below, foldsCase);
}

const SHA256 = /^[0-9a-f]{64}$/;
const MODE = /^[0-7]{4}$/;

function readEntry(item: Readonly<Record<string, unknown>>): BackupEntry | undefined {
  const { path: shown, place, type, sha256, size, mode: shownMode, target } = item;
  if (typeof shown !== "string") return undefined;
  const path = parsePath(shown);
  if (place !== (isOutside(path) ? "outside" : "project")) return undefined;
  const mode =
    typeof shownMode === "string" && MODE.test(shownMode) ? Number.parseInt(shownMode, 8) : null;
  const digest = typeof sha256 === "string" && SHA256.test(sha256) ? sha256 : null;
  if (type === "folder" && mode !== null) return { type, path, mode };
  if (type === "link" && digest !== null && typeof target === "string") {
    return { type, path, sha256: digest, target: parsePath(target) };
  }
  const isSize = typeof size === "number" && Number.isSafeInteger(size) && size >= 0;
  if (type === "file" && digest !== null && mode !== null && isSize) {
    return { type, path, sha256: digest, size, mode };
  }
  return undefined;
}

function reasonOf(text: unknown): ExclusionReason | undefined {
  return EXCLUSION_REASONS.find((reason) => reason === text);
}
