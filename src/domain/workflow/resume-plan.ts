/** What a resume would do with each node, and why, in words for people. */
import { isBehind } from "./graph.ts";
import { nodeId, type ExecutionGraph, type NodeProgress } from "./progress.ts";
import type { Workflow, WorkflowNode } from "./definition.ts";

export type RunAgain = {
  readonly kind: "yes" | "no" | "ask";
  /** For people. */
  readonly why: string;
};

/** Whether a node may run (again). What is completed never does. */
export function mayRunAgain(node: NodeProgress, definition: WorkflowNode): RunAgain {
  switch (node.status) {
    case "pending":
      return { kind: "yes", why: "it has not run yet" };
    case "running":
      return { kind: "no", why: "it is running" };
    case "completed":
    case "skipped":
      return { kind: "no", why: node.status };
    case "failed":
      return byRule(definition, failedText(node), "yes");
    case "unknown":
      return byRule(definition, "it was running when its process ended", "ask");
  }
}

function failedText({ exit_code: code, error, ended_as: end }: NodeProgress): string {
  if (end === "interrupted") return "interrupted";
  if (end === "timed_out" && error !== null) return `ended: ${error}`;
  // One that ended well may have failed for what it left.
  if (code !== null && code !== 0) return `failed with exit code ${code}`;
  return error === null ? "failed" : `failed: ${error}`;
}

function byRule(
  { rerun, idempotent }: WorkflowNode,
  what: string,
  unsaid: "yes" | "ask",
): RunAgain {
  if (rerun === "always") return { kind: "yes", why: `${what}; it may always run again` };
  if (idempotent && rerun !== "ask") return { kind: "yes", why: `${what}; it is idempotent` };
  if (rerun === "if-idempotent") {
    return { kind: "ask", why: `${what}; it is not marked idempotent: your decision` };
  }
  if (rerun === null && unsaid === "yes") return { kind: "yes", why: what };
  return {
    kind: "ask",
    why:
      rerun === "ask"
        ? `${what}; the workflow asks first`
        : `${what}; it is not marked as safe to run twice: your decision`,
  };
}

/**
 * kept: done, it stays so. run: it has not run yet. run_again, ask: it began and did not end well. The others only where the
 * workflow file changed: added and changed ones will run as they are now, removed ones are forgotten.
 */
export type PlannedWhat = "kept" | "run" | "run_again" | "ask" | "removed" | "added" | "changed";

export interface PlannedNode {
  readonly id: string;
  readonly what: PlannedWhat;
  readonly why: string;
}

/** In the order of the workflow; removed ones last. `recorded`: the workflow that the graph was made for, where it is another. */
export function planResume(
  graph: ExecutionGraph,
  workflow: Workflow,
  recorded: Workflow = workflow,
): PlannedNode[] {
  const before = nodesById(recorded);
  const now = nodesById(workflow);
  const removed = Object.keys(graph.nodes).filter((id) => !now.has(id));
  return [
    ...[...now].map(([id, node]) => plannedNode(id, graph, node, before.get(id))),
    ...removed.map((id) => ({
      id,
      what: "removed" as const,
      why: "the workflow file no longer has it",
    })),
  ];
}

function nodesById(workflow: Workflow): Map<string, WorkflowNode> {
  return new Map(
    workflow.phases.flatMap((phase) =>
      phase.nodes.map((node) => [nodeId(phase.name, node.name), node] as const),
    ),
  );
}

function plannedNode(
  id: string,
  graph: ExecutionGraph,
  node: WorkflowNode,
  before: WorkflowNode | undefined,
): PlannedNode {
  const progress = graph.nodes[id];
  if (progress === undefined) return { id, what: "added", why: "it is new in the workflow file" };
  const changes = before === undefined ? [] : changedKeys(before, node);
  const { kind, why } = mayRunAgain(progress, node);
  if (kind === "no") {
    const since =
      changes.length === 0
        ? ""
        : `; its ${changes.join(" and ")} changed since, and it does not run again`;
    return { id, what: "kept", why: `${why}${since}` };
  }
  if (kind === "ask") return { id, what: "ask", why };
  if (changes.length > 0) {
    return {
      id,
      what: "changed",
      why: `its ${changes.join(" and ")} changed in the workflow file`,
    };
  }
  if (progress.status !== "pending") return { id, what: "run_again", why };
  return { id, what: "run", why: waitText(progress, graph) ?? why };
}

function waitText({ phase, needs }: NodeProgress, graph: ExecutionGraph): string | undefined {
  const open = needs.filter((need) => !isBehind(graph, phase, need));
  return open.length === 0 ? undefined : `it waits for ${open.join(" and ")}`;
}

/** Keys that say what a node does. */
const TELLING = [
  "run",
  "needs",
  "env",
  "cwd",
  "isolate",
  "outputs",
] as const satisfies readonly (keyof WorkflowNode)[];

function changedKeys(before: WorkflowNode, now: WorkflowNode): string[] {
  return TELLING.filter((key) => JSON.stringify(before[key]) !== JSON.stringify(now[key]));
}
