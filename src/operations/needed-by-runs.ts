/** Checkpoints that a session which is being run cannot do without: where its phase and its batch go back to. */
import type { SessionDocument } from "../domain/session.ts";
import { openConflictOf } from "../domain/workflow/isolated-result.ts";
import { liveHolder } from "./owned-session.ts";
import type { Project } from "./project.ts";

export function neededByRuns(
  project: Project,
  sessions: Iterable<SessionDocument>,
): ReadonlyMap<string, string> {
  const needed = new Map<string, string>();
  for (const session of sessions) {
    if (liveHolder(project, session) === undefined) continue;
    for (const id of namedBy(session)) needed.set(id, `session ${session.id}, which is being run`);
  }
  return needed;
}

function namedBy({ workflow }: SessionDocument): string[] {
  if (workflow === undefined) return [];
  const underWay = [...workflow.phases, ...(workflow.execution_graph?.batches ?? [])].filter(
    ({ status }) => status === "running",
  );
  const conflict = openConflictOf(workflow)?.start_id;
  return [...underWay.map(({ checkpoint_before: id }) => id), conflict].flatMap((id) => id ?? []);
}
