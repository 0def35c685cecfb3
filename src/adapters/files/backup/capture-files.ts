/** Reads the files of a backup, and writes the manifest that says what they are. */
import { asBytePath, showPath, type BytePath } from "../../../domain/byte-path.ts";
import type { Exclusion } from "../../../domain/checkpoint.ts";
import {
  encodeManifest,
  entryOf,
  MANIFEST_ENTRY,
  type BackupEntry,
} from "../../../domain/file-backup.ts";
import type { FilePart } from "../../../domain/parts.ts";
import type { CapturedPart, PartContent } from "../../../ports/part-keeper.ts";
import type { FileAsk } from "../../../ports/part-keepers.ts";
import { pauser, type Progress } from "../../../ports/progress.ts";
import { isDenied, isMissing } from "../errors.ts";
import { FileMover } from "../exchange/file-mover.ts";
import { statOf } from "../file-stat.ts";
import { sha256Ids } from "../sha256-ids.ts";
import { readLink, readStable } from "../stable-read.ts";
import { objectId } from "../../git/object-hash.ts";
import type { BlobShelf } from "./blob-shelf.ts";
import { areaOf } from "./plan-restore.ts";
import { digestOf } from "./read-manifest.ts";
import type { Selection } from "./select-files.ts";

export interface CapturePlace {
  /** The project. */
  readonly root: string;
  readonly shelf: BlobShelf;
  readonly progress: Progress;
}

/** What was found, as it is read. */
interface Found {
  readonly entries: BackupEntry[];
  readonly contents: Map<string, PartContent>;
  readonly leftOut: Exclusion[];
  readonly unstable: BytePath[];
}

export async function captureFiles(
  place: CapturePlace,
  ask: FileAsk,
  selection: Selection,
  absentFolders: readonly BytePath[],
): Promise<CapturedPart<FilePart>> {
  const found: Found = {
    entries: [],
    contents: new Map(),
    leftOut: [...selection.leftOut],
    unstable: [],
  };
  try {
    await readAll(place, selection, found);
  } catch (error) {
    place.shelf.discard();
    throw error;
  }
  const { entries, leftOut, unstable } = found;
  for (const [path, mode] of selection.emptyFolders) entries.push({ type: "folder", path, mode });
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
  const manifest = { kind: "bytes", bytes: Buffer.from(text) } as const;
  return {
    part,
    entries: new Map<string, PartContent>([[MANIFEST_ENTRY, manifest], ...found.contents]),
    warnings: unstable.map((path) => `changed while it was copied: ${showPath(path)}`),
    leftOut,
    isEmpty: entries.length === 0,
    discard: () => place.shelf.discard(),
  };
}

async function readAll(
  { root, shelf, progress }: CapturePlace,
  { files }: Selection,
  found: Found,
): Promise<void> {
  const mover = new FileMover({ project: root, outside: "/" }, sha256Ids);
  const task = progress.begin("copying files", {
    items: files.length,
    bytes: files.reduce((sum, { stat }) => sum + Number(stat.size), 0),
  });
  const pause = pauser();
  try {
    for (const { path, stat } of files) {
      const { area, path: below } = areaOf(path);
      const from = mover.at(area, below);
      try {
        if (from !== undefined) await readOne(shelf, path, from, found);
      } catch (error) {
        if (isDenied(error)) {
          found.leftOut.push({
            path: showPath(path),
            reason: "unreadable",
            size: Number(stat.size),
          });
        } else if (!isMissing(error)) {
          throw error;
        }
      }
      task.advance(1, Number(stat.size));
      await pause();
    }
  } finally {
    task.end();
    mover.close();
  }
}

async function readOne(
  shelf: BlobShelf,
  path: BytePath,
  from: Buffer,
  { entries, contents, leftOut, unstable }: Found,
): Promise<void> {
  const stat = statOf(from);
  if (stat === undefined) return;
  const name = entryOf(path);
  if (stat.isSymbolicLink()) {
    const bytes = readLink(from);
    const oid = objectId(shelf.hash, "blob", bytes);
    if (shelf.wants(oid)) shelf.add(oid, bytes);
    const target = asBytePath(bytes.toString("latin1"));
    entries.push({ type: "link", path, sha256: shelf.sha256Of(oid), target });
    contents.set(name, shelf.content(oid, "120000"));
    return;
  }
  const read = await readStable(from, shelf.hash, shelf);
  if (read === undefined) return;
  const { oid, size, mode } = read;
  if (oid === "") {
    // It shrank during every reading: what it holds is not known.
    leftOut.push({ path: showPath(path), reason: "unreadable", size: null });
    return;
  }
  if (read.unstable) unstable.push(path);
  entries.push({ type: "file", path, sha256: shelf.sha256Of(oid), size, mode });
  contents.set(name, shelf.content(oid, (mode & 0o100) === 0 ? "100644" : "100755"));
}
