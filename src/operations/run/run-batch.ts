/** Runs the nodes of a batch side by side, merges what isolated ones left, and goes back for another attempt where one may. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { Failure } from "../../domain/failure.ts";
import { takenBack, withGraph } from "../../domain/workflow/change-progress.ts";
import { mergedOutputs } from "../../domain/workflow/output-paths.ts";
import type { WorkflowNode, WorkflowPhase } from "../../domain/workflow/definition.ts";
import { beginBatch, endBatch } from "../../domain/workflow/graph.ts";
import { isolatedOf } from "../../domain/workflow/isolated-result.ts";
import { nodeId, type WorkflowProgress } from "../../domain/workflow/progress.ts";
import { RunningBatch } from "./batch-state.ts";
import { goBackIfPossible, goOnWith } from "./go-back.ts";
import { IsolatedNodes } from "./isolated-nodes.ts";
import { mergeResults } from "./merge-results.ts";
import { runNode, type NodeEnd } from "./run-node.ts";
import type { Run } from "./run.ts";
import { takeCheckpoint } from "./take-checkpoint.ts";
import type { TimeLimit } from "./time-limit.ts";

export interface BatchOrder {
  readonly phase: WorkflowPhase;
  readonly nodes: readonly WorkflowNode[];
  readonly phaseLimit: TimeLimit;
  /** How often each node has failed in this run. */
  readonly failures: Map<string, number>;
}

export type BatchEnd =
  | { readonly kind: "completed" | "again" }
  | {
      readonly kind: "failed";
      readonly failed: readonly NodeEnd[];
      /** They might have been tried again, but could not be taken back. */
      readonly obstacle?: Failure;
    };

export async function runBatch(run: Run, order: BatchOrder): Promise<BatchEnd> {
  const { phase, nodes, phaseLimit } = order;
  const base = await checkpointBefore(run, phase, nodes);
  const before = run.progress;
  const ids = nodes.map(({ name }) => nodeId(phase.name, name));
  await run.update(`a batch of ${phase.name} begins`, (progress) =>
    withGraph(progress, (graph) =>
      beginBatch(graph, {
        phase: phase.name,
        nodes: ids,
        at: run.now(),
        checkpointBefore: base?.id ?? null,
      }),
    ),
  );
  run.emit({
    event: "batch_started",
    phase: phase.name,
    step: phase.step,
    batch: run.progress.execution_graph?.current_batch ?? 0,
    nodes: nodes.map(({ name }) => name),
    checkpoint_id: base?.id ?? null,
  });
  const { ends, batch } = await runNodes(run, order, base);
  const failed = ends.filter(({ end }) => end !== "completed");
  const isDone = failed.length === 0 && ends.length === nodes.length && !run.control.isEnding;
  if (!isDone) {
    await run.update(`a batch of ${phase.name} did not finish`, (progress) =>
      withGraph(progress, (graph) => endBatch(graph, "failed", run.now())),
    );
    run.control.refuseHalted();
    return tryAgain(run, order, base, before, failed);
  }
  reportStates(run, phase, batch);
  await mergeResults(run, phase, phaseLimit);
  await run.update(`a batch of ${phase.name} is done`, (progress) => ({
    ...withGraph(progress, (graph) => endBatch(graph, "completed", run.now())),
    ...keptConflicts(progress, phase, batch),
  }));
  if (run.project.config.triggers.batchComplete) {
    await takeCheckpoint(run, {
      trigger: "batch_complete",
      reason: `after ${nodesText(nodes)}`,
      phase,
    });
  }
  return { kind: "completed" };
}

/** The phase may have the same name as its only node, and a checkpoint of its own. */
function nodesText(nodes: readonly WorkflowNode[]): string {
  return `${nodes.length === 1 ? "node" : "nodes"} ${nodes.map(({ name }) => name).join(", ")}`;
}

/** What a retry starts from: the last checkpoint if nothing happened since, else one of now. */
async function checkpointBefore(
  run: Run,
  phase: WorkflowPhase,
  nodes: readonly WorkflowNode[],
): Promise<CheckpointDocument | undefined> {
  // One of another phase may not hold the files that a merge of this one is about.
  const isFit = run.current?.phase === phase.name || mergedOutputs(phase).length === 0;
  if (!run.isTouched && run.current !== undefined && isFit) return run.current;
  return takeCheckpoint(run, {
    trigger: "auto",
    reason: `before ${nodes.map(({ name }) => name).join(", ")}`,
    phase,
  });
}

async function runNodes(
  run: Run,
  { phase, nodes, phaseLimit }: BatchOrder,
  base: CheckpointDocument | undefined,
): Promise<{ readonly ends: readonly NodeEnd[]; readonly batch: RunningBatch }> {
  const batch = new RunningBatch(
    run.progress.state,
    nodes.map(({ name }) => name),
  );
  const isolated = await IsolatedNodes.begin(run, phase, base, nodes);
  const limit = run.options.concurrency ?? run.workflow.concurrency;
  try {
    const ends = await sideBySide(run, nodes, limit, async (node) => {
      const end = await runNode(run, {
        phase,
        node,
        batch,
        phaseLimit,
        tree: isolated.treeOf(node),
        keepTree: () => isolated.keep(node),
        isOneOfSeveral: nodes.length > 1,
      });
      const isShared = isolated.treeOf(node) === undefined;
      if (end.end === "completed" && isShared && run.project.config.triggers.agentComplete) {
        await takeCheckpoint(run, {
          trigger: "agent_complete",
          reason: `after ${nodesText([node])}`,
          phase,
        });
        // Others may be at work.
        run.isTouched = nodes.length > 1;
      }
      return end;
    });
    return { ends, batch };
  } finally {
    await isolated.close();
  }
}

/** In their order, at most so many at a time. None is begun when somebody wants to stop; an error stops the others. */
async function sideBySide(
  run: Run,
  nodes: readonly WorkflowNode[],
  limit: number,
  work: (node: WorkflowNode) => Promise<NodeEnd>,
): Promise<NodeEnd[]> {
  const waiting = [...nodes];
  const ends: NodeEnd[] = [];
  let problem: { readonly error: unknown } | undefined;
  const worker = async (): Promise<void> => {
    for (;;) {
      if (run.control.isHalted || problem !== undefined) return;
      const node = waiting.shift();
      if (node === undefined) return;
      try {
        ends.push(await work(node));
      } catch (error) {
        problem ??= { error };
        run.control.fail(error);
      }
    }
  };
  await Promise.all(Array.from({ length: Math.max(1, Math.min(limit, nodes.length)) }, worker));
  if (problem !== undefined) throw problem.error;
  return ends;
}

/**
 * `again`: what failed may run again, and the project is as it was before the batch. That takes the work of all nodes of the batch
 * back, so they all run again; those in work trees of their own keep theirs.
 */
async function tryAgain(
  run: Run,
  { phase, nodes, failures, phaseLimit }: BatchOrder,
  base: CheckpointDocument | undefined,
  before: WorkflowProgress,
  failed: readonly NodeEnd[],
): Promise<BatchEnd> {
  for (const { node } of failed) failures.set(node.name, (failures.get(node.name) ?? 0) + 1);
  const mayRun = failed.every(({ node }) => (failures.get(node.name) ?? 0) <= node.retries);
  const isShared = nodes.some(({ isolate }) => isolate === null);
  if (!mayRun || phaseLimit.isOver || (isShared && base === undefined)) {
    return { kind: "failed", failed };
  }
  const names = failed.map(({ node, error }) => `${node.name} failed (${error ?? "no reason"})`);
  const reason = names.join(", ");
  for (const { node, attempt, error } of failed) {
    run.emit({
      event: "node_retrying",
      phase: phase.name,
      step: phase.step,
      node: node.name,
      attempt: attempt + 1,
      reason: error ?? "it failed",
      checkpoint_id: isShared ? (base?.id ?? null) : null,
      delay_ms: phase.retryDelayMs,
    });
  }
  const now = run.progress;
  const kept = new Set(
    nodes
      .map(({ name }) => nodeId(phase.name, name))
      .filter((id) => {
        const node = now.execution_graph?.nodes[id];
        return node?.status === "completed" && isolatedOf(node) !== undefined;
      }),
  );
  if (isShared && base !== undefined) {
    const obstacle = await goBackIfPossible(run, { target: base, reason, phase });
    if (obstacle !== undefined) return { kind: "failed", failed, obstacle };
  }
  await goOnWith(run, `${reason}: retrying`, () => takenBack(before, now, kept));
  await delay(run, phase.retryDelayMs);
  return { kind: "again" };
}

/** Whoever wants to stop does not wait for it. */
export async function delay(run: Run, ms: number): Promise<void> {
  if (ms > 0 && !run.control.isHalted) {
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, ms);
      run.control.whenStopped(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }
  run.control.refuseHalted();
}

/** The values that do not count stay in the session, where somebody can find them. */
function keptConflicts(
  progress: WorkflowProgress,
  { name: phase }: WorkflowPhase,
  { conflicts }: RunningBatch,
): Partial<WorkflowProgress> {
  if (conflicts.length === 0) return {};
  const before = progress["state_conflicts"];
  const now = conflicts.map((conflict) => ({ phase, ...conflict }));
  return { state_conflicts: [...(Array.isArray(before) ? (before as unknown[]) : []), ...now] };
}

/** Never silent: whose value counts. */
function reportStates(run: Run, phase: WorkflowPhase, { conflicts }: RunningBatch): void {
  for (const { key, values } of conflicts) {
    const nodes = values.map(({ node }) => node);
    run.emit({
      event: "state_conflict",
      phase: phase.name,
      step: phase.step,
      key,
      nodes,
      winner: nodes.at(-1) ?? "",
    });
  }
}
