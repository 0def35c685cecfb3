/**
 * The execution graph of a session: which nodes may run now, which never can, and what a batch leaves behind. Everything
 * here returns new values.
 */
import {
  nodeId,
  type BatchProgress,
  type ExecutionGraph,
  type NodeProgress,
  type PhaseStatus,
} from "./progress.ts";
import type { Workflow, WorkflowNode } from "./definition.ts";

/** Every node of the workflow, none of them run. */
export function freshGraph(workflow: Workflow, graphId: string): ExecutionGraph {
  const nodes = workflow.phases.flatMap((phase) =>
    phase.nodes.map(
      (node) => [nodeId(phase.name, node.name), freshNode(phase.name, node)] as const,
    ),
  );
  return {
    graph_id: graphId,
    nodes: Object.fromEntries(nodes),
    batches: [],
    current_batch: null,
    completed_batches: [],
  };
}

export function freshNode(phase: string, { name, needs }: WorkflowNode): NodeProgress {
  return {
    name,
    phase,
    needs,
    status: "pending",
    attempts: 0,
    started_at: null,
    completed_at: null,
    exit_code: null,
    result: null,
    error: null,
  };
}

/** Ids of the nodes of a phase, in the order of the file. */
export function nodesOfPhase(graph: ExecutionGraph, phase: string): string[] {
  return Object.keys(graph.nodes).filter((id) => graph.nodes[id]?.phase === phase);
}

/**
 * Ids of the nodes of the phase that may run now, in the order of the file: pending, with everything that they need behind
 * them. It is made from what is pending, so it is as right after a resume as before. None while nodes are pending: they wait
 * for running ones, for a decision on unknown ones, or never run (`unreachableNodes`).
 */
export function nextBatch(graph: ExecutionGraph, phase: string): string[] {
  return nodesOfPhase(graph, phase).filter((id) => {
    const node = graph.nodes[id];
    return node?.status === "pending" && node.needs.every((need) => isBehind(graph, phase, need));
  });
}

/** A need that the graph does not have keeps nobody waiting: its node was taken out of the workflow. */
export function isBehind(graph: ExecutionGraph, phase: string, need: string): boolean {
  const status = graph.nodes[nodeId(phase, need)]?.status;
  return status === undefined || status === "completed" || status === "skipped";
}

export interface UnreachableNode {
  readonly id: string;
  /** Ids of the failed nodes that it needs, directly or through others. */
  readonly failed: readonly string[];
  /** For people. */
  readonly why: string;
}

/** Pending nodes of the phase that cannot run as long as what they need has failed. */
export function unreachableNodes(graph: ExecutionGraph, phase: string): UnreachableNode[] {
  return nodesOfPhase(graph, phase).flatMap((id) => {
    if (graph.nodes[id]?.status !== "pending") return [];
    const failed = failedBefore(graph, id);
    if (failed.length === 0) return [];
    const names = failed.map((each) => graph.nodes[each]?.name ?? each);
    return [{ id, failed, why: `it needs ${names.join(" and ")}, which failed` }];
  });
}

function failedBefore(graph: ExecutionGraph, id: string): string[] {
  const seen = new Set([id]);
  for (const each of seen) {
    const node = graph.nodes[each];
    if (node === undefined || (each !== id && node.status !== "pending")) continue;
    for (const need of node.needs) seen.add(nodeId(node.phase, need));
  }
  return [...seen].filter((each) => graph.nodes[each]?.status === "failed");
}

/** The graph with this node changed; without it, as it was. */
export function withNode(
  graph: ExecutionGraph,
  id: string,
  change: Partial<NodeProgress>,
): ExecutionGraph {
  const node = graph.nodes[id];
  if (node === undefined) return graph;
  return { ...graph, nodes: { ...graph.nodes, [id]: { ...node, ...change } } };
}

/** These nodes as if they had not run; how often they were begun stays known. */
export function pendingAgain(graph: ExecutionGraph, ids: readonly string[]): ExecutionGraph {
  const reset = {
    status: "pending",
    started_at: null,
    completed_at: null,
    exit_code: null,
    result: null,
    error: null,
  } as const;
  return ids.reduce((changed, id) => withNode(changed, id, reset), graph);
}

export interface BatchStart {
  readonly phase: string;
  readonly nodes: readonly string[];
  readonly at: string;
  readonly checkpointBefore: string | null;
}

/** Batches are numbered through the whole session, so that one that is made anew never takes the number of another. */
export function beginBatch(graph: ExecutionGraph, start: BatchStart): ExecutionGraph {
  const number = Math.max(0, ...graph.batches.map((batch) => batch.number)) + 1;
  const batch: BatchProgress = {
    number,
    phase: start.phase,
    nodes: start.nodes,
    status: "running",
    started_at: start.at,
    completed_at: null,
    checkpoint_before: start.checkpointBefore,
  };
  return { ...graph, batches: [...graph.batches, batch], current_batch: number };
}

/** The current batch, ended like this. */
export function endBatch(graph: ExecutionGraph, status: PhaseStatus, at: string): ExecutionGraph {
  const { current_batch: number, completed_batches: completed } = graph;
  if (number === null) return graph;
  return {
    ...graph,
    batches: graph.batches.map((batch) =>
      batch.number === number ? { ...batch, status, completed_at: at } : batch,
    ),
    current_batch: null,
    completed_batches: status === "completed" ? [...completed, number] : completed,
  };
}

const LOST = "its process ended while it ran";

/** What a killed process leaves: nobody knows what its running nodes did, and their batch will not go on. */
export function afterCrash(graph: ExecutionGraph): ExecutionGraph {
  const nodes = Object.entries(graph.nodes).map(([id, node]) =>
    node.status === "running"
      ? ([id, { ...node, status: "unknown", error: LOST }] as const)
      : ([id, node] as const),
  );
  return {
    ...graph,
    nodes: Object.fromEntries(nodes),
    batches: graph.batches.map((batch) =>
      batch.status === "running" ? { ...batch, status: "failed" } : batch,
    ),
    current_batch: null,
  };
}
