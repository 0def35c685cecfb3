/** Progress of workflows for tests: every field filled in, each test names only what it is about. */
import {
  nodeId,
  type ExecutionGraph,
  type NodeProgress,
  type NodeStatus,
  type PhaseProgress,
  type PhaseStatus,
} from "./progress.ts";

const TIMES = { attempts: 1, started_at: null, completed_at: null };

export function phasesOf(statuses: Readonly<Record<string, PhaseStatus>>): PhaseProgress[] {
  return Object.entries(statuses).map(([name, status], at) => ({
    name,
    step: at + 1,
    status,
    ...TIMES,
    checkpoint_before: null,
    checkpoint_after: null,
    error: null,
  }));
}

export interface GraphShape {
  readonly nodes: Readonly<Record<string, NodeStatus>>;
  readonly needs?: Readonly<Record<string, readonly string[]>>;
  readonly batches: readonly (readonly string[])[];
}

export function graphOf(phase: string, shape: GraphShape): ExecutionGraph {
  const nodes = Object.entries(shape.nodes).map(([name, status]): [string, NodeProgress] => [
    nodeId(phase, name),
    {
      name,
      phase,
      needs: shape.needs?.[name] ?? [],
      status,
      ...TIMES,
      exit_code: null,
      result: null,
      error: null,
    },
  ]);
  return {
    graph_id: "g",
    nodes: Object.fromEntries(nodes),
    batches: shape.batches.map((names, at) => ({
      number: at + 1,
      phase,
      nodes: names.map((name) => nodeId(phase, name)),
      status: "pending",
      started_at: null,
      completed_at: null,
      checkpoint_before: null,
    })),
    current_batch: null,
    completed_batches: [],
  };
}
