/**
 * The local half of a checkpoint, `refs/waymark/local/<id>`: what of it must not leave the machine. Untracked files that look like secrets,
 * copies of ignored files and of files outside the project, dumps of databases. Everything else is in `refs/waymark/cp/<id>`.
 */
import type { CheckpointDocument, Exclusion, WithheldFile } from "./checkpoint.ts";
import { MANIFEST_ENTRY } from "./file-backup.ts";
import { storedPath } from "./stored-name.ts";

/** What its tree can have. */
export const LOCAL_ENTRIES = ["worktree", "files", "database"] as const;
export type LocalEntry = (typeof LOCAL_ENTRIES)[number];

/** The id of each tree, as the document has it. A half that came with an archive may have only some of them. */
export type LocalHalf = Readonly<Partial<Record<LocalEntry, string>>>;

const DATABASE_MANIFEST = /^database\/[^/]+\/manifest\.json$/;

/** Of a file that a part brings along: whether it belongs into the local half. */
export function isLocalEntry(name: string): boolean {
  if (name.startsWith("files/")) return name !== MANIFEST_ENTRY;
  return name.startsWith("database/") && !DATABASE_MANIFEST.test(name);
}

/** What git calls a file of a checkpoint: a ref and a path. Earlier versions wrote dumps into the checkpoint itself. */
export function revisionOf(
  { id, local }: Pick<CheckpointDocument, "id" | "local">,
  name: string,
): string {
  const isInCheckpoint = name.startsWith("database/") && local?.database === undefined;
  const half = isLocalEntry(name) && !isInCheckpoint ? "local" : "cp";
  return `refs/waymark/${half}/${id}:${storedPath(name)}`;
}

/** What git calls the tree of all files. `isHere`: the local half is, as far as there is one. */
export function filesRevision(
  { id, local }: Pick<CheckpointDocument, "id" | "local">,
  isHere: boolean,
): string {
  const half = local?.worktree !== undefined && isHere ? "local" : "cp";
  return `refs/waymark/${half}/${id}:worktree`;
}

/** Those that a checkpoint without the local half knows nothing about. */
export function withheldExclusions(withheld: readonly WithheldFile[]): Exclusion[] {
  return withheld.map(({ path }) => ({ path, reason: "withheld", size: null }));
}

/** The message of its commit. */
export function localMessage({ id }: Pick<CheckpointDocument, "id">): string {
  const about = { schema_version: 1, kind: "waymark_local_half", checkpoint: id };
  return `waymark: local half of ${id}\n\n${JSON.stringify(about, null, 1)}\n`;
}
