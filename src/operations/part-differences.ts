/** What differs beside the work tree: copied files and databases. The state has values of its own (`state-values.ts`). */
import { showPath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { decodeManifest, MANIFEST_ENTRY, type BackupEntry } from "../domain/file-backup.ts";
import type { ExtraPartType } from "../domain/parts.ts";
import type { PartChange } from "../ports/part-keeper.ts";
import { databasesBetween } from "./database-differences.ts";
import { heldParts, previewParts } from "./part-work.ts";
import type { Project } from "./project.ts";

export interface PartDifference {
  readonly type: ExtraPartType;
  /** A path, or the name of a database. */
  readonly what: string;
  readonly change: "added" | "removed" | "modified";
  readonly summary: string | null;
}

/** Restoring is the way back, so what it would bring back is gone now. */
const SINCE: Readonly<Record<PartChange["operation"], PartDifference["change"]>> = {
  restored: "removed",
  removed: "added",
  changed_back: "modified",
  mode_changed_back: "modified",
};

/** From a checkpoint to now. */
export async function partsSince(
  project: Project,
  from: CheckpointDocument,
): Promise<PartDifference[]> {
  const held = heldParts(project, from).filter(({ part }) => part.type !== "state_snapshot");
  const everything = { filesOnly: false, paths: null };
  const previews = await previewParts(project, from.session_id, held, everything);
  return previews.flatMap(({ part, preview }) =>
    preview.changes.map(({ what, operation, summary }) => ({
      type: part.type,
      what,
      change: SINCE[operation],
      summary: part.type === "database_savepoint" ? summary : null,
    })),
  );
}

/** Between two checkpoints, of what both hold. */
export async function partsBetween(
  project: Project,
  from: CheckpointDocument,
  to: CheckpointDocument,
): Promise<PartDifference[]> {
  return [
    ...filesBetween(await filesOf(project, from), await filesOf(project, to)),
    ...(await databasesBetween(heldParts(project, from), heldParts(project, to))),
  ];
}

type Entries = ReadonlyMap<string, BackupEntry>;

/** Undefined: it holds no copies. */
async function filesOf(
  project: Project,
  document: CheckpointDocument,
): Promise<Entries | undefined> {
  const held = heldParts(project, document).find(({ part }) => part.type === "file_backup");
  if (held === undefined) return undefined;
  const manifest = decodeManifest((await held.read(MANIFEST_ENTRY)).toString("utf8"), false);
  if (typeof manifest === "string") return undefined;
  return new Map(manifest.entries.map((entry) => [showPath(entry.path), entry]));
}

function filesBetween(from: Entries | undefined, to: Entries | undefined): PartDifference[] {
  if (from === undefined || to === undefined) return [];
  const found: PartDifference[] = [];
  for (const what of new Set([...from.keys(), ...to.keys()])) {
    const before = from.get(what);
    const after = to.get(what);
    if (JSON.stringify(before) === JSON.stringify(after)) continue;
    const change = before === undefined ? "added" : after === undefined ? "removed" : "modified";
    found.push({ type: "file_backup", what, change, summary: null });
  }
  return found.toSorted((left, right) => (left.what < right.what ? -1 : 1));
}
