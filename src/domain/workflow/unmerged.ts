/** What isolated nodes left that is not in the project for good: results, and a conflict that waits for somebody. */
import { isPhaseOpen } from "./change-progress.ts";
import { isolatedOf, openConflictOf, type IsolatedResult } from "./isolated-result.ts";
import type { WorkflowProgress } from "./progress.ts";

/** Ids of the nodes whose results are not merged yet, with that of an open conflict. */
export function unmergedNodes(progress: WorkflowProgress): string[] {
  return openResults(progress).flatMap(({ id, isolated }) => (isolated.merged ? [] : [id]));
}

/** Also of results that are merged: as long as their phase goes on, a merge that is undone is done again. */
export function neededToMerge(progress: WorkflowProgress): ReadonlySet<string> {
  const results = openResults(progress).flatMap(({ isolated }) => [
    isolated.checkpoint_id,
    isolated.base_id,
  ]);
  return new Set([...results, ...conflictLinks(progress)]);
}

/** The checkpoint before the conflict, and that with the conflicted files. */
export function conflictLinks(progress: WorkflowProgress): string[] {
  const conflict = openConflictOf(progress);
  return conflict === undefined ? [] : [conflict.start_id, conflict.merged_id];
}

interface OpenResult {
  readonly id: string;
  readonly isolated: IsolatedResult;
}

function openResults({ phases, execution_graph: graph }: WorkflowProgress): OpenResult[] {
  const open = new Set(phases.filter(isPhaseOpen).map(({ name }) => name));
  return Object.entries(graph?.nodes ?? {}).flatMap(([id, node]) => {
    const isolated = isolatedOf(node);
    const isOpen = node.status === "completed" && open.has(node.phase);
    return isolated === undefined || !isOpen ? [] : [{ id, isolated }];
  });
}
