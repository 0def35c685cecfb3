/** Finds copies of files whose checkpoints are gone: a process was killed while it took or removed one. */
import { implicitSessionId } from "../domain/session.ts";
import type { Project } from "./project.ts";

/** A checkpoint is taken in seconds; what is younger than this may still become one. */
const GRACE_MS = 60 * 60 * 1000;

/** Ids of the checkpoints that are gone. Fails when it cannot be known which ones are there. */
export async function findOrphans(project: Project): Promise<readonly string[]> {
  const { checkpoints, clock, parts, workTree } = project;
  const keeper = await parts.keeper("file_backup", implicitSessionId(workTree.id));
  const before = new Date(clock.now().getTime() - GRACE_MS);
  if (keeper.orphans(new Set(), before).length === 0) return [];
  // The list twice: one may move into the trash, or back, between two looks.
  const known = [
    ...(await checkpoints.list()),
    ...(await checkpoints.listTrash()),
    ...(await checkpoints.list()),
  ];
  return keeper.orphans(new Set(known.map(({ id }) => id)), before);
}
