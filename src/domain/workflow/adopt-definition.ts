/** A session goes on with another version of its workflow: what is done stays done. */
import { freshNode } from "./graph.ts";
import { nodeId, type ExecutionGraph, type PhaseProgress } from "./progress.ts";
import type { Workflow, WorkflowPhase } from "./definition.ts";

/** The phases of a session that begins. */
export function freshPhases(workflow: Workflow): PhaseProgress[] {
  return workflow.phases.map(freshPhase);
}

function freshPhase({ name, step }: WorkflowPhase): PhaseProgress {
  return {
    name,
    step,
    status: "pending",
    attempts: 0,
    started_at: null,
    completed_at: null,
    checkpoint_before: null,
    checkpoint_after: null,
    error: null,
  };
}

/** Nodes by id: those that are in both keep what became of them, removed ones go, new ones are pending. */
export function adoptDefinition(graph: ExecutionGraph, workflow: Workflow): ExecutionGraph {
  const nodes = workflow.phases.flatMap((phase) =>
    phase.nodes.map((node) => {
      const id = nodeId(phase.name, node.name);
      const kept = graph.nodes[id];
      return [
        id,
        kept === undefined ? freshNode(phase.name, node) : { ...kept, needs: node.needs },
      ] as const;
    }),
  );
  return { ...graph, nodes: Object.fromEntries(nodes) };
}

/**
 * Phases by name, with the graph as it was. A completed one that got new nodes is pending again; the checkpoints that it has
 * stay known.
 */
export function adoptPhases(
  phases: readonly PhaseProgress[],
  before: ExecutionGraph,
  workflow: Workflow,
): PhaseProgress[] {
  return workflow.phases.map((phase) => {
    const kept = phases.find(({ name }) => name === phase.name);
    if (kept === undefined) return freshPhase(phase);
    const hasMore = phase.nodes.some(
      ({ name }) => before.nodes[nodeId(phase.name, name)] === undefined,
    );
    const reopened = kept.status === "completed" && hasMore ? REOPENED : {};
    return { ...kept, step: phase.step, ...reopened };
  });
}

const REOPENED = { status: "pending", completed_at: null } as const;
