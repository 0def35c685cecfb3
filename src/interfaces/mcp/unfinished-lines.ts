/** What models should know about a rollback that was killed: carrying something out puts it right first. */
import { outOfSightWarning } from "../../domain/out-of-sight.ts";
import type { Project } from "../../operations/project.ts";

export function unfinishedLines({ restorer }: Pick<Project, "restorer">): string[] {
  const unfinished = restorer.unfinished();
  if (unfinished === undefined) return [];
  if (unfinished.owner.mayBeAtWork) {
    return [`warning: ${outOfSightWarning(unfinished)}`];
  }
  const which = unfinished.targetId === "" ? "" : ` to ${unfinished.targetId}`;
  return [
    `warning: a rollback${which} was interrupted. Confirming first finishes or reverts it, and then shows the new plan.`,
  ];
}
