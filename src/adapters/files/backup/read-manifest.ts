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

export function digestOf(text: string | Buffer): string {
  return `sha256:${createHash("sha256").update(text).digest("hex")}`;
}

export async function readManifest(
  held: HeldPart<FilePart>,
  foldsCase: boolean,
): Promise<BackupManifest> {
  const text = await held.read(MANIFEST_ENTRY);
  if (digestOf(text) !== held.part.digest) {
    throw damaged(held, "it is not the one that the checkpoint's document names");
  }
  const manifest = decodeManifest(text.toString("utf8"), foldsCase);
  if (typeof manifest === "string") throw damaged(held, manifest);
  return manifest;
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
