/** The checkpoints that a rollback would leave behind: they become invalid by it. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { leftBehind } from "../domain/lineage.ts";
import { isPartial, type RollbackScope } from "./plan-rollback.ts";
import type { Project } from "./project.ts";
import type { SessionView } from "./session-view.ts";

/** Their ids. Going back a part of the way leaves the line as it is. */
export function leftBehindBy(
  view: SessionView,
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
): string[] {
  if (isPartial(target, scope)) return [];
  return leftBehind(view.documents, view.standing, project.workTree.id, target).map(({ id }) => id);
}
