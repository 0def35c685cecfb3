/** Steps of a workflow, as changes of its progress. Everything here returns new values. */
import type { Workflow } from "./definition.ts";
import { freshPhases } from "./adopt-definition.ts";
import { freshGraph, nodesOfPhase, withNode } from "./graph.ts";
import {
  NO_PROGRESS,
  phaseOf,
  type ExecutionGraph,
  type NodeProgress,
  type PhaseProgress,
  type WorkflowProgress,
} from "./progress.ts";

/** A session that begins. */
export function freshProgress(workflow: Workflow, graphId: string): WorkflowProgress {
  return {
    ...NO_PROGRESS,
    phases: freshPhases(workflow),
    execution_graph: freshGraph(workflow, graphId),
  };
}

export function withPhase(
  progress: WorkflowProgress,
  name: string,
  change: Partial<PhaseProgress>,
): WorkflowProgress {
  return {
    ...progress,
    phases: progress.phases.map((phase) => (phase.name === name ? { ...phase, ...change } : phase)),
  };
}

export function withGraph(
  progress: WorkflowProgress,
  change: (graph: ExecutionGraph) => ExecutionGraph,
): WorkflowProgress {
  const { execution_graph: graph } = progress;
  return graph === null ? progress : { ...progress, execution_graph: change(graph) };
}

export function withNodeOf(
  progress: WorkflowProgress,
  id: string,
  change: Partial<NodeProgress>,
): WorkflowProgress {
  return withGraph(progress, (graph) => withNode(graph, id, change));
}

export function nodeOf(progress: WorkflowProgress, id: string): NodeProgress | undefined {
  return progress.execution_graph?.nodes[id];
}

/** Whether there is something to do in it. One that failed and was passed over stays so. */
export function isPhaseOpen({ status, passed_over: isPassedOver }: PhaseProgress): boolean {
  if (status === "completed" || status === "skipped") return false;
  return status !== "failed" || isPassedOver !== true;
}

/** The phase and what is not done of it are left out. */
export function skipPhase(progress: WorkflowProgress, name: string, at: string): WorkflowProgress {
  const skipped = withPhase(progress, name, { status: "skipped", completed_at: at });
  return withGraph(skipped, (graph) =>
    nodesOfPhase(graph, name)
      .filter((id) => graph.nodes[id]?.status !== "completed")
      .reduce((changed, id) => withNode(changed, id, { status: "skipped" }), graph),
  );
}

/**
 * Progress as it was before an attempt, after its files were taken back. How often things were begun stays known, and so does
 * what `kept` names: nodes whose work is not in the files that were taken back.
 */
export function takenBack(
  before: WorkflowProgress,
  now: WorkflowProgress,
  kept: ReadonlySet<string>,
): WorkflowProgress {
  const phases = before.phases.map((phase) => ({
    ...phase,
    attempts: phaseOf(now, phase.name)?.attempts ?? phase.attempts,
  }));
  const graph = before.execution_graph;
  const after = now.execution_graph;
  if (graph === null || after === null) return { ...before, phases };
  const nodes = Object.entries(graph.nodes).map(([id, node]): [string, NodeProgress] => {
    const later = after.nodes[id];
    if (later === undefined) return [id, node];
    return [id, kept.has(id) ? later : { ...node, attempts: later.attempts }];
  });
  return {
    ...before,
    phases,
    execution_graph: {
      ...graph,
      nodes: Object.fromEntries(nodes),
      batches: after.batches,
      current_batch: null,
    },
    iteration_count: now.iteration_count,
  };
}
