/** Where a workflow continues: the first thing of it that is not done. */
import { isRecord } from "../is-record.ts";
import {
  isOver,
  nodeId,
  phaseOf,
  type BatchProgress,
  type ExecutionGraph,
  type PhaseProgress,
  type WorkflowProgress,
} from "./progress.ts";

/** Documents have it as it is. */
export interface ResumePoint {
  /** For machines: `batch_3_task_1`, `phase_2`, or `end` when nothing is left. */
  readonly name: string;
  readonly phase: string | null;
  readonly step: number | null;
  readonly batch: number | null;
  /** Its place in the batch: 1, 2, 3 … */
  readonly task: number | null;
  /** Its id: `phase/name`. */
  readonly node: string | null;
  /** For people: `phase implement (node api)`. */
  readonly words: string;
}

/** Null: it is no workflow, or nothing of it is known. */
export function resumePoint(progress: WorkflowProgress | undefined): ResumePoint | null {
  if (progress === undefined || progress.phases.length === 0) return null;
  const phase = nextPhase(progress);
  if (phase === undefined) {
    const nowhere = { phase: null, step: null, batch: null, task: null, node: null };
    return { name: "end", ...nowhere, words: "nothing is left to run" };
  }
  const { name, step } = phase;
  const task = progress.execution_graph && nextTask(progress.execution_graph, name);
  const recorded = task === null ? recordedTask(progress, name) : undefined;
  if (recorded !== undefined) {
    const { batch, task: number } = recorded;
    const words = `phase ${name} (batch ${batch}, task ${number})`;
    return { name: `batch_${batch}_task_${number}`, phase: name, step, ...recorded, words };
  }
  if (task === null) {
    const inPhase = { phase: name, step, batch: null, task: null, node: null };
    return { name: `phase_${step}`, ...inPhase, words: `phase ${name}` };
  }
  return {
    name: `batch_${task.batch}_task_${task.task}`,
    phase: name,
    step,
    ...task,
    words: wordsFor(name, shortNode(task.node, name)),
  };
}

/** A failed phase that the workflow went on from is behind it. */
function nextPhase(progress: WorkflowProgress): PhaseProgress | undefined {
  const { current_phase, phases } = progress;
  const current = current_phase === null ? undefined : phaseOf(progress, current_phase);
  if (current !== undefined && !isOver(current.status)) return current;
  return phases
    .toSorted((left, right) => left.step - right.step)
    .find(({ step, status }) => !isOver(status) && step > (current?.step ?? 0));
}

type Task = Readonly<Record<"batch" | "task", number>> & { readonly node: string };

/** What a record of another tool says, which names no nodes: it is in the phase that the record was in. */
function recordedTask(
  { recovery_info: info, execution_graph: graph, current_phase }: WorkflowProgress,
  phase: string,
): Pick<ResumePoint, "batch" | "task" | "node"> | undefined {
  const said = isRecord(info) ? info["resume_from"] : undefined;
  const numbers = typeof said === "string" ? /^batch_(\d{1,9})_task_(\d{1,9})$/.exec(said) : null;
  if (numbers === null || graph === null || phase !== current_phase) return undefined;
  const isKnown = Object.values(graph.nodes).some((node) => node.phase === phase);
  const [batch, task] = [Number(numbers[1]), Number(numbers[2])];
  if (isKnown || graph.completed_batches.includes(batch)) return undefined;
  return { batch, task, node: null };
}

/** Null: every node of the phase is done. */
function nextTask(graph: ExecutionGraph, phase: string): Task | null {
  const isOpen = (id: string): boolean => {
    const node = graph.nodes[id];
    return node !== undefined && !isOver(node.status);
  };
  const batch = openBatch(graph, phase, isOpen);
  if (batch !== undefined) {
    const at = batch.nodes.findIndex(isOpen);
    return { batch: batch.number, task: at + 1, node: batch.nodes[at] ?? "" };
  }
  // Not in a batch yet: the next one will be made of what waits for nobody.
  const open = Object.entries(graph.nodes).filter(
    ([id, node]) => node.phase === phase && isOpen(id),
  );
  const ready = open.find(([, { needs }]) => !needs.some((name) => isOpen(nodeId(phase, name))));
  const [node] = ready ?? open[0] ?? [];
  if (node === undefined) return null;
  const last = Math.max(0, ...graph.batches.map(({ number }) => number));
  return { batch: last + 1, task: 1, node };
}

function openBatch(
  { batches, current_batch }: ExecutionGraph,
  phase: string,
  isOpen: (id: string) => boolean,
): BatchProgress | undefined {
  const open = batches.filter((batch) => batch.phase === phase && batch.nodes.some(isOpen));
  return open.find(({ number }) => number === current_batch) ?? open[0];
}

/** The only node of a phase has the name of the phase. */
function wordsFor(phase: string, node: string): string {
  return node === phase ? `phase ${phase}` : `phase ${phase} (node ${node})`;
}

function shortNode(id: string, phase: string): string {
  return id.startsWith(`${phase}/`) ? id.slice(phase.length + 1) : id;
}
