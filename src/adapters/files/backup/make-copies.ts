/** Copies the files of a backup into a folder of their own, with the manifest that says what they are. */
import { readlinkSync, statfsSync } from "node:fs";
import { asBytePath, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { Exclusion } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { encodeManifest, MANIFEST_ENTRY, type BackupEntry } from "../../../domain/file-backup.ts";
import { humanBytes } from "../../../domain/human-bytes.ts";
import type { FilePart } from "../../../domain/parts.ts";
import { asFailure } from "../../../domain/system-error.ts";
import type { CapturedPart } from "../../../ports/part-keeper.ts";
import type { FileAsk } from "../../../ports/part-keepers.ts";
import type { Progress } from "../../../ports/progress.ts";
import { syncFiles, writeDurably } from "../durable-write.ts";
import { isDenied, isMissing } from "../errors.ts";
import { FileMover } from "../exchange/file-mover.ts";
import { statOf } from "../file-stat.ts";
import { sha256Ids } from "../sha256-ids.ts";
import type { BackupFolder, Draft } from "./backup-folder.ts";
import { copyStable } from "./copy-stable.ts";
import { areaOf } from "./plan-restore.ts";
import { digestOf } from "./read-manifest.ts";
import type { FoundFile, Selection } from "./select-files.ts";

/** Room that must stay free on the disk beside the copies. */
const RESERVED_BYTES = 4 * 1024 * 1024;

export interface CopyPlace {
  /** The project. */
  readonly root: string;
  readonly folder: BackupFolder;
  readonly progress: Progress;
}

export async function makeCopies(
  place: CopyPlace,
  ask: FileAsk,
  selection: Selection,
  absentFolders: readonly BytePath[],
): Promise<CapturedPart<FilePart>> {
  const draft = place.folder.begin();
  try {
    checkRoom(place.root, draft.folder, selection.files);
    const leftOut = [...selection.leftOut];
    const unstable: BytePath[] = [];
    const entries = await copyAll(place, draft, selection.files, leftOut, unstable);
    for (const [path, mode] of selection.emptyFolders) {
      entries.push({ type: "folder", path, mode });
    }
    await syncFiles(copiesOf(draft, entries));
    const text = encodeManifest({ entries, leftOut, absentFolders });
    const held = entries.filter((entry) => entry.type !== "folder");
    const part: FilePart = {
      type: "file_backup",
      digest: digestOf(text),
      files: held.length,
      bytes: held.reduce((sum, entry) => sum + (entry.type === "file" ? entry.size : 0), 0),
      patterns: ask.patterns,
      outside: ask.outside,
      ...(selection.includedSecrets.length === 0
        ? {}
        : { included_secrets: selection.includedSecrets.map(showPath) }),
    };
    return {
      part,
      entries: new Map([[MANIFEST_ENTRY, { kind: "bytes", bytes: Buffer.from(text) }]]),
      warnings: unstable.map((path) => `changed while it was copied: ${showPath(path)}`),
      leftOut,
      isEmpty: entries.length === 0,
      keep: (checkpointId) => {
        try {
          writeDurably(`${draft.folder}/manifest.json`, text, true);
          place.folder.keep(draft, checkpointId);
          return Promise.resolve();
        } catch (error) {
          return Promise.reject(asFailure(error, "keeping file copies"));
        }
      },
      discard: () => draft.discard(),
    };
  } catch (error) {
    draft.discard();
    throw error;
  }
}

async function copyAll(
  { root, progress }: CopyPlace,
  draft: Draft,
  files: readonly FoundFile[],
  leftOut: Exclusion[],
  unstable: BytePath[],
): Promise<BackupEntry[]> {
  const entries: BackupEntry[] = [];
  const mover = new FileMover({ project: root, outside: "/" }, sha256Ids);
  const task = progress.begin("copying files", {
    items: files.length,
    bytes: files.reduce((sum, { stat }) => sum + Number(stat.size), 0),
  });
  try {
    for (const { path, stat } of files) {
      const { area, path: below } = areaOf(path);
      const from = mover.at(area, below);
      try {
        const entry = from === undefined ? undefined : await copyOne(draft, path, from, unstable);
        if (entry !== undefined) entries.push(entry);
      } catch (error) {
        if (isDenied(error)) {
          leftOut.push({ path: showPath(path), reason: "unreadable", size: Number(stat.size) });
        } else if (!isMissing(error)) {
          throw error;
        }
      }
      task.advance(1, Number(stat.size));
    }
  } finally {
    task.end();
    mover.close();
  }
  return entries;
}

function checkRoom(root: string, place: string, files: readonly FoundFile[]): void {
  const needed = files.reduce((sum, { stat }) => sum + Number(stat.size), RESERVED_BYTES);
  const disk = statfsSync(place);
  const free = disk.bavail * disk.bsize;
  if (free >= needed) return;
  throw new Failure(
    "disk_full",
    `file copies may need ${humanBytes(needed)} and only ${humanBytes(free)} are free on the disk of ${root}`,
    {
      hint: "Free some disk space there and run the command again; nothing was changed.",
      details: { path: root, needed, free },
    },
  );
}

function* copiesOf(draft: Draft, entries: readonly BackupEntry[]): Generator<Buffer> {
  for (const { type, path } of entries) {
    const copy = type === "file" ? draft.at(path) : undefined;
    if (copy !== undefined) yield copy;
  }
}

async function copyOne(
  draft: Draft,
  path: BytePath,
  from: Buffer,
  unstable: BytePath[],
): Promise<BackupEntry | undefined> {
  const stat = statOf(from);
  if (stat === undefined) return undefined;
  if (stat.isSymbolicLink()) {
    const target = readlinkSync(from, { encoding: "buffer" });
    const shown = asBytePath(target.toString("latin1"));
    return { type: "link", path, sha256: sha256Ids.ofLink(target), target: shown };
  }
  draft.makeParents(path);
  const to = draft.at(path);
  const copied = to === undefined ? undefined : await copyStable(from, to);
  if (copied === undefined) return undefined;
  if (copied.isUnstable) unstable.push(path);
  const { sha256, size, mode } = copied;
  return { type: "file", path, sha256, size, mode };
}
