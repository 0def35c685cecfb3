/** What a run of a workflow would do, before it is begun: phases, batches, and where checkpoints are taken. */
import type { Config } from "../config.ts";
import { commandLines, type CommandLine } from "./command-lines.ts";
import type { Workflow, WorkflowNode } from "./definition.ts";
import { isModifying, postCheckpoint, preCheckpoint, type PreCheckpoint } from "./strategy.ts";

/** if_dirty: when there are changes that no commit holds. */
export type PlannedCheckpoint = "yes" | "no" | "if_dirty";

export interface PlannedPhase {
  readonly name: string;
  readonly step: number;
  readonly modifies: boolean;
  readonly pre_checkpoint: PlannedCheckpoint;
  readonly post_checkpoint: boolean;
  readonly batch_checkpoints: boolean;
  /** Names of nodes, by batch. */
  readonly batches: readonly (readonly string[])[];
  readonly isolated: readonly string[];
  readonly verify: number;
  readonly retries: number;
  readonly timeout_ms: number | null;
  readonly breakpoint: boolean;
  readonly on_fail: string;
  readonly commands: readonly Omit<CommandLine, "phase">[];
}

export function planRun(
  workflow: Workflow,
  config: Pick<Config, "strategy" | "phases" | "triggers">,
): PlannedPhase[] {
  const { batchComplete } = config.triggers;
  const commands = commandLines(workflow);
  return workflow.phases.map((phase, at) => ({
    name: phase.name,
    step: phase.step,
    modifies: isModifying(config, phase),
    pre_checkpoint: PLANNED[preCheckpoint(config, { ...phase, isFirst: at === 0 }).kind],
    post_checkpoint: postCheckpoint(config, phase),
    batch_checkpoints: batchComplete,
    batches: batchesOf(phase.nodes),
    isolated: phase.nodes.filter(({ isolate }) => isolate !== null).map(({ name }) => name),
    verify: phase.verify.length,
    retries: phase.retries,
    timeout_ms: phase.timeoutMs,
    breakpoint: phase.breakpoint,
    on_fail: phase.onFail,
    commands: commands.flatMap(({ phase: of, ...command }) => (of === phase.name ? [command] : [])),
  }));
}

const PLANNED: Readonly<Record<PreCheckpoint["kind"], PlannedCheckpoint>> = {
  take: "yes",
  if_dirty: "if_dirty",
  none: "no",
};

/** Every node as soon as what it needs is done. The file was checked: there is no cycle. */
function batchesOf(nodes: readonly WorkflowNode[]): string[][] {
  const batches: string[][] = [];
  const done = new Set<string>();
  while (done.size < nodes.length) {
    const ready = nodes.filter(
      ({ name, needs }) => !done.has(name) && needs.every((need) => done.has(need)),
    );
    if (ready.length === 0) break;
    batches.push(ready.map(({ name }) => name));
    for (const { name } of ready) done.add(name);
  }
  return batches;
}
