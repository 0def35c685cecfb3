/** One attempt of one node: it counts as completed only when the session has its result. */
import { redact, redactValue } from "../../domain/secrets/redact.ts";
import { nodeOf, withNodeOf } from "../../domain/workflow/change-progress.ts";
import {
  folderOf,
  variablesOf,
  type WorkflowNode,
  type WorkflowPhase,
} from "../../domain/workflow/definition.ts";
import { nodeId, type AgentOutput, type WorkflowProgress } from "../../domain/workflow/progress.ts";
import type { AttemptEnd } from "../../domain/workflow/run-event.ts";
import type { IsolatedTree } from "../../ports/isolated-work-trees.ts";
import type { ReadJson } from "../../ports/run-files.ts";
import type { RunningBatch } from "./batch-state.ts";
import { collectOutputs, jsonOf, MOST_STDOUT_BYTES } from "./collect-outputs.ts";
import type { KeptTree } from "./isolated-nodes.ts";
import { attemptPlace, runCommand, type CommandOutcome } from "./run-command.ts";
import type { Run } from "./run.ts";
import type { TimeLimit } from "./time-limit.ts";

export interface NodeOrder {
  readonly phase: WorkflowPhase;
  readonly node: WorkflowNode;
  readonly batch: RunningBatch;
  readonly phaseLimit: TimeLimit;
  /** Where it works; undefined: in the project itself. */
  readonly tree: IsolatedTree | undefined;
  /** Reads what an isolated node left, before the node counts as completed. */
  readonly keepTree: () => Promise<KeptTree>;
  readonly isOneOfSeveral: boolean;
}

export interface NodeEnd {
  readonly node: WorkflowNode;
  readonly attempt: number;
  readonly end: AttemptEnd;
  readonly error: string | null;
  readonly log: string;
  readonly lastLines: readonly string[];
}

/** What the node came to, before it is written down. */
interface Result {
  readonly end: AttemptEnd;
  readonly error: string | null;
  readonly change: (progress: WorkflowProgress) => WorkflowProgress;
}

export async function runNode(run: Run, order: NodeOrder): Promise<NodeEnd> {
  const { phase, node, batch, tree } = order;
  const { project } = run;
  const id = nodeId(phase.name, node.name);
  const attempt = (nodeOf(run.progress, id)?.attempts ?? 0) + 1;
  const place = attemptPlace(run, phase, node.name, attempt);
  const log = await project.runFiles.openLog(place);
  const at = { phase: phase.name, step: phase.step, node: node.name, attempt };
  try {
    await run.update(`${id} begins, attempt ${attempt}`, (progress) =>
      withNodeOf(progress, id, {
        status: "running",
        attempts: attempt,
        started_at: run.now(),
        completed_at: null,
        exit_code: null,
        error: null,
        log: log.path,
      }),
    );
    run.emit({ event: "node_started", log: log.path, ...at });
    const state = await project.runFiles.writeJson(place, "state", batch.baseState ?? {});
    const root = tree?.path ?? project.workTree.root;
    const outcome = await runCommand(run, {
      phase,
      name: node.name,
      line: node.run,
      cwd: inFolder(root, folderOf(run.workflow, phase, node)),
      env: {
        ...variablesOf(run.workflow, phase, node),
        ...nodeEnvironment(run, phase, node.name, attempt),
        WAYMARK_STATE: state,
      },
      log,
      timeoutMs: node.timeoutMs,
      phaseLimit: order.phaseLimit,
      keepStdout: wantsStdout(node) ? MOST_STDOUT_BYTES : 0,
      isOneOfSeveral: order.isOneOfSeveral,
      onLine: (line) => run.emit({ event: "node_output", line: redact(line), ...at }),
    });
    const result = await resultOf(run, order, id, outcome, state, root);
    const { end, error } = result;
    await run.update(`${id} ${end}${error === null ? "" : `: ${error}`}`, (progress) =>
      withNodeOf(result.change(progress), id, {
        status: end === "completed" ? "completed" : "failed",
        completed_at: run.now(),
        exit_code: outcome.exitCode,
        duration_ms: outcome.durationMs,
        ended_as: end,
        error,
      }),
    );
    await project.runFiles.remove(state);
    run.emit({
      event: "node_finished",
      status: end,
      exit_code: outcome.exitCode,
      error,
      duration_ms: outcome.durationMs,
      log: log.path,
      ...at,
    });
    const lastLines = outcome.lastLines.map(redact);
    return { node, attempt, end, error, log: log.path, lastLines };
  } finally {
    log.close();
  }
}

/** What every command of a phase sees of the session. */
export function nodeEnvironment(
  run: Run,
  phase: WorkflowPhase,
  name: string,
  attempt: number,
): Record<string, string> {
  return {
    WAYMARK_SESSION: run.owned.id,
    WAYMARK_PHASE: phase.name,
    WAYMARK_STEP: String(phase.step),
    WAYMARK_NODE: name,
    WAYMARK_ATTEMPT: String(attempt),
    WAYMARK_CHECKPOINT: run.current?.id ?? "",
  };
}

export function inFolder(root: string, folder: string): string {
  if (folder.startsWith("/")) return folder;
  return folder === "." || folder === "" ? root : `${root}/${folder}`;
}

function wantsStdout({ result, outputs }: WorkflowNode): boolean {
  return result === "json" || Object.values(outputs).some(({ kind }) => kind === "stdout");
}

async function resultOf(
  run: Run,
  order: NodeOrder,
  id: string,
  outcome: CommandOutcome,
  statePath: string,
  root: string,
): Promise<Result> {
  const { phase, node, batch, keepTree } = order;
  const { runFiles } = run.project;
  const nothing = (progress: WorkflowProgress): WorkflowProgress => progress;
  if (outcome.end !== "ok") return { end: outcome.end, error: outcome.error, change: nothing };
  const collected = await collectOutputs(runFiles, root, node.outputs, outcome.stdout);
  const answer = node.result === "json" ? jsonOf(outcome.stdout) : undefined;
  const state = (await runFiles.readJson(statePath)) ?? noState(run, order);
  const problems = [
    ...collected.problems,
    ...(answer?.kind === "bad" ? [answer.problem] : []),
    ...(state.kind === "bad" ? [`the state (WAYMARK_STATE): ${state.problem}`] : []),
  ];
  if (problems.length > 0 || state.kind === "bad") {
    return { end: "failed", error: redact(problems.join("; ")), change: nothing };
  }
  const kept = await keepTree();
  if (kept.kind === "lost") {
    return { end: "failed", error: redact(kept.problem), change: nothing };
  }
  const added = batch.addState(node.name, withoutSecrets(run, phase, node, state.value));
  if (added.kind === "bad") {
    return { end: "failed", error: `the state (WAYMARK_STATE): ${added.problem}`, change: nothing };
  }
  const result = answer?.kind === "value" ? redactValue(answer.value) : null;
  const said = outcome.lastLines.map(redact).join("\n");
  const change = (progress: WorkflowProgress): WorkflowProgress => ({
    ...withNodeOf(progress, id, { ...kept.fields, result }),
    ...added.change,
    outputs: { ...progress.outputs, ...collected.values },
    agent_outputs: withAgent(progress, node, {
      completed_at: run.now(),
      output_summary: said === "" ? null : said,
      output_location: firstFile(node) ?? logOf(progress, id),
    }),
  });
  return { end: "completed", error: null, change };
}

/** A node that cleans up may take the file with it (`git clean -fdx`): then it said nothing about the state. */
function noState(run: Run, { phase, node, batch }: NodeOrder): ReadJson {
  run.warn(`${node.name} deleted its state file (WAYMARK_STATE); the state did not change`, phase);
  return { kind: "value", value: batch.baseState ?? {} };
}

/** Where it said that its work would be. */
function firstFile({ outputs }: WorkflowNode): string | undefined {
  return Object.values(outputs).find((source) => source.kind === "file")?.path;
}

function logOf(progress: WorkflowProgress, id: string): string | null {
  const log = nodeOf(progress, id)?.["log"];
  return typeof log === "string" ? log : null;
}

function withAgent(
  { agent_outputs: outputs }: WorkflowProgress,
  { agent, name }: WorkflowNode,
  output: AgentOutput,
): WorkflowProgress["agent_outputs"] {
  if (agent === null) return outputs;
  return { ...outputs, [agent]: { ...outputs[agent], [name]: output } };
}

function withoutSecrets(
  run: Run,
  phase: WorkflowPhase,
  { name }: WorkflowNode,
  state: unknown,
): unknown {
  const clean = redactValue(state);
  if (JSON.stringify(clean) !== JSON.stringify(state)) {
    run.warn(
      `${name} wrote something into the state that looks like a secret; it was not stored`,
      phase,
    );
  }
  return clean;
}
