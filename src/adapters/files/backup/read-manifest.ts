/** The manifest of a published file backup, checked. */
import { createHash } from "node:crypto";
import type { BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import {
  decodeManifest,
  isOutside,
  MANIFEST_ENTRY,
  type BackupEntry,
  type BackupManifest,
} from "../../../domain/file-backup.ts";
import type { FilePart } from "../../../domain/parts.ts";
import type { HeldPart } from "../../../ports/part-keeper.ts";

/** More than a million files have, and less than Node can take for one text. */
const MOST_BYTES = 384 * 1024 * 1024;

export function digestOf(text: string | Buffer): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export async function readManifest(
  held: HeldPart<FilePart>,
  foldsCase: boolean,
): Promise<BackupManifest> {
  const text = await held.read(MANIFEST_ENTRY);
  if (text.length > MOST_BYTES) throw damaged(held, "it is too large");
  if (digestOf(text) !== held.part.digest) {
    throw damaged(held, "it does not match the checkpoint's document");
  }
  const manifest = decodeManifest(text.toString("utf8"), foldsCase);
  if (typeof manifest === "string") throw damaged(held, manifest);
  return manifest;
}

/** What the document says about the manifest is not so. */
export function countProblem(
  { entries }: BackupManifest,
  { files, bytes }: FilePart,
): string | undefined {
  const held = entries.filter(({ type }) => type !== "folder");
  const size = held.reduce((sum, entry) => sum + (entry.type === "file" ? entry.size : 0), 0);
  return held.length === files && size === bytes
    ? undefined
    : "the manifest of the file backup does not list the expected files";
}

function damaged({ checkpointId }: HeldPart<FilePart>, problem: string): Failure {
  return new Failure(
    "checkpoint_damaged",
    `the manifest of the file backup of ${checkpointId} cannot be used: ${problem}`,
    { hint: "Use another checkpoint: `waymark list`. Nothing was changed." },
  );
}

/** Entries by path; a backup of another repository says nothing about files outside of this project. */
export function entriesOf(
  manifest: BackupManifest,
  withOutside: boolean,
): Map<BytePath, BackupEntry> {
  const entries = manifest.entries.filter(({ path }) => withOutside || !isOutside(path));
  return new Map(entries.map((entry) => [entry.path, entry]));
}
