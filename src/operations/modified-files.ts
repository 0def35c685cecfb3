/** Which files a session changed. */
import { showPath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { latestOf } from "../domain/lineage.ts";
import { Failure } from "../domain/failure.ts";
import type { SessionDocument } from "../domain/session.ts";
import type { ModifiedFile } from "../domain/workflow/progress.ts";
import { isEnded } from "../domain/workflow/session-status.ts";
import type { FileDifference, Moment } from "../ports/differ.ts";
import { filesBetween } from "./files-between.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

/**
 * From its first checkpoint to now; where it has ended, or runs in another work tree, to its last one that was not rolled back.
 * Null: nobody can tell.
 */
export function modifiedFiles(
  project: Project,
  session: SessionDocument,
  own: readonly CheckpointDocument[],
  standing: SessionView["standing"],
): Promise<readonly ModifiedFile[] | null> {
  return orUnknown(() => since(project, session, own, standing));
}

async function since(
  project: Project,
  session: SessionDocument,
  own: readonly CheckpointDocument[],
  standing: SessionView["standing"],
): Promise<readonly ModifiedFile[]> {
  const place = session.worktree_id ?? project.workTree.id;
  // Isolated nodes have work trees of their own; what they left was merged.
  const here = own.filter(({ worktree_id }) => worktree_id === place);
  const [first] = here;
  const last = latestOf(here, standing) ?? here.at(-1);
  if (first === undefined || last === undefined) return [];
  const isHere = place === project.workTree.id;
  if (isEnded(session.status) || !isHere) {
    return changesTo(project, first, { kind: "checkpoint", document: last });
  }
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    return await changesTo(project, first, { kind: "now", capture });
  } finally {
    capture.discard();
  }
}

/** A damaged checkpoint, or a file that cannot be read now, does not hide the rest of the session. */
async function orUnknown<Found>(look: () => Promise<Found>): Promise<Found | null> {
  try {
    return await look();
  } catch (error) {
    if (error instanceof Failure && error.code !== "interrupted") return null;
    throw error;
  }
}

const STATUS: Readonly<Record<FileDifference["change"], ModifiedFile["status"]>> = {
  added: "created",
  modified: "modified",
  removed: "deleted",
};

async function changesTo(
  project: Project,
  first: CheckpointDocument,
  end: Moment,
): Promise<ModifiedFile[]> {
  const { files } = await filesBetween(project, first, end, []);
  const staged = files.length === 0 ? new Set() : await project.differ.staged(end);
  return files.map(({ path, change }) => ({
    path: showPath(path),
    status: STATUS[change],
    staged: staged.has(path),
  }));
}
