/** A session that is taken up again: what becomes of each of its nodes, and how its progress looks before they run. */
import { adoptDefinition, adoptPhases } from "./adopt-definition.ts";
import { withGraph } from "./change-progress.ts";
import type { Workflow } from "./definition.ts";
import { afterCrash, pendingAgain, withNode } from "./graph.ts";
import { isOfProcess, phaseOf, type ExecutionGraph, type WorkflowProgress } from "./progress.ts";
import { planResume, type PlannedNode, type PlannedWhat } from "./resume-plan.ts";

/** left: it began, nobody knows how it ended, and somebody said that it does not run again. */
export type ResumeWhat = PlannedWhat | "left";

export interface ResumeNode extends Omit<PlannedNode, "what"> {
  readonly what: ResumeWhat;
}

/** What somebody said about the nodes that nobody but them can decide about. */
export interface RerunAnswer {
  /** Ids, or names that only one of them has. */
  readonly again: readonly string[];
  readonly left: readonly string[];
  /** What becomes of the others; `ask`: nobody has said. */
  readonly rest: "again" | "left" | "ask";
}

export const UNANSWERED: RerunAnswer = { again: [], left: [], rest: "ask" };

/** The workflow that it goes on by, and the one that its graph was made for. */
export interface WorkflowVersions {
  readonly workflow: Workflow;
  readonly recorded: Workflow;
}

/** In the order of the workflow; removed ones last. */
export function resumeNodes(
  progress: WorkflowProgress,
  { workflow, recorded }: WorkflowVersions,
  answer: RerunAnswer,
): ResumeNode[] {
  const { execution_graph: graph } = progress;
  if (graph === null) return [];
  return planResume(afterCrash(graph), workflow, recorded).map((node) => {
    const closed = closedPhase(progress, graph, node);
    if (closed !== undefined) return { ...node, what: "kept", why: closed };
    return node.what === "ask" ? answered(node, answer) : node;
  });
}

/** Why nothing of its phase runs any more; undefined: it does. */
function closedPhase(
  progress: WorkflowProgress,
  graph: ExecutionGraph,
  { id, what }: PlannedNode,
): string | undefined {
  if (what === "kept" || what === "removed") return undefined;
  const name = graph.nodes[id]?.phase ?? id.slice(0, id.lastIndexOf("/"));
  const phase = phaseOf(progress, name);
  if (phase?.status === "skipped") return `phase ${name} was skipped`;
  const isPassedOver = phase?.status === "failed" && phase.passed_over === true;
  return isPassedOver ? `phase ${name} failed, and the workflow continued` : undefined;
}

function answered(node: PlannedNode, { again, left, rest }: RerunAnswer): ResumeNode {
  const isNamed = (names: readonly string[]): boolean => names.some((name) => isCalled(node, name));
  const said = isNamed(again) ? "again" : isNamed(left) ? "left" : rest;
  if (said === "ask") return node;
  const what = node.why.replace(/: your decision$/, "");
  return said === "again"
    ? { ...node, what: "run_again", why: `${what}; you chose to run it again` }
    : { ...node, what: "left", why: `${what}; you chose not to run it again` };
}

/** `phase/name`, or only `name`. */
export function isCalled({ id }: Pick<PlannedNode, "id">, name: string): boolean {
  return id === name || id.slice(id.lastIndexOf("/") + 1) === name;
}

/** How the session stands when its nodes begin to run: what is done stays done, what may run again is pending. */
export function takenUp(
  progress: WorkflowProgress,
  versions: WorkflowVersions,
  answer: RerunAnswer,
): WorkflowProgress {
  const { execution_graph: graph } = progress;
  if (graph === null) return progress;
  const nodes = resumeNodes(progress, versions, answer);
  const ids = (wanted: readonly ResumeWhat[]): string[] =>
    nodes.filter(({ what }) => wanted.includes(what)).map(({ id }) => id);
  const adopted = adoptDefinition(afterCrash(graph), versions.workflow);
  const pending = pendingAgain(adopted, ids(["run_again", "changed"]));
  return {
    ...progress,
    phases: adoptPhases(progress.phases, graph, versions.workflow),
    execution_graph: ids(["left"]).reduce(
      (changed, id) => withNode(changed, id, { status: "skipped" }),
      pending,
    ),
  };
}

const CUT_OFF = "its process ended while it ran";

/** The same for a session whose phases are run one by one, from outside: what was cut off waits to be run again. */
export function withoutRunning(progress: WorkflowProgress): WorkflowProgress {
  return {
    ...withGraph(progress, afterCrash),
    phases: progress.phases.map((phase) =>
      isOfProcess(phase) ? { ...phase, status: "pending", error: CUT_OFF } : phase,
    ),
  };
}
