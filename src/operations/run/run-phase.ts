/** One phase: its checkpoint before, its batches, its checks, another attempt where one may, its checkpoint after. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { Failure } from "../../domain/failure.ts";
import { takenBack, withGraph, withPhase } from "../../domain/workflow/change-progress.ts";
import type { WorkflowNode, WorkflowPhase } from "../../domain/workflow/definition.ts";
import {
  nextBatch,
  nodesOfPhase,
  pendingAgain,
  unreachableNodes,
} from "../../domain/workflow/graph.ts";
import {
  nodeId,
  phaseOf,
  workedSince,
  type WorkflowProgress,
} from "../../domain/workflow/progress.ts";
import { postCheckpoint, preCheckpoint } from "../../domain/workflow/strategy.ts";
import { checkPhase } from "./check-phase.ts";
import { checkpointById, goBackIfPossible, goOnWith } from "./go-back.ts";
import { mergeResults, mergeWhatIsDone } from "./merge-results.ts";
import { delay, runBatch, type BatchEnd } from "./run-batch.ts";
import { Stopped } from "./run-end.ts";
import type { Run } from "./run.ts";
import { takeCheckpoint } from "./take-checkpoint.ts";
import { TimeLimit } from "./time-limit.ts";

interface PhaseFailure {
  readonly error: string;
  readonly node: string | null;
  readonly log: string | null;
  readonly lastLines: readonly string[];
  /** The phase as a whole may be tried again. Nodes have tries of their own. */
  readonly mayRetry: boolean;
  /** There is a try left, but what failed could not be taken back for it. */
  readonly obstacle?: Failure | undefined;
}

type Attempt =
  | { readonly kind: "good"; readonly change: (progress: WorkflowProgress) => WorkflowProgress }
  | ({ readonly kind: "bad" } & PhaseFailure);

type FailedBatch = Extract<BatchEnd, { readonly kind: "failed" }>;

/** Throws `Stopped` when the workflow has to end with it. */
export async function runPhase(run: Run, phase: WorkflowPhase): Promise<void> {
  const failures = new Map<string, number>();
  for (let tried = 1; ; tried++) {
    await begin(run, phase, tried);
    // With where the phase began: every attempt goes back to the same moment.
    const before = run.progress;
    const attempt = await attemptPhase(run, phase, failures);
    run.control.refuseHalted();
    if (attempt.kind === "good") {
      await complete(run, phase, attempt.change);
      return;
    }
    const target = await startOf(run, phase);
    if (!attempt.mayRetry || tried > phase.retries || target === undefined) {
      await fail(run, phase, attempt, target);
      return;
    }
    const now = run.progress;
    const reason = `retrying ${phase.name}: ${attempt.error}`;
    const obstacle = await goBackIfPossible(run, { target, reason, phase });
    if (obstacle !== undefined) {
      await fail(run, phase, { ...attempt, obstacle }, target);
      return;
    }
    await goOnWith(run, reason, () => afresh(takenBack(before, now, new Set()), phase));
    await delay(run, phase.retryDelayMs);
  }
}

/** All of its nodes have to run again, also those that a resumed session found completed. */
function afresh(progress: WorkflowProgress, { name }: WorkflowPhase): WorkflowProgress {
  return withGraph(progress, (graph) => {
    const reset = pendingAgain(graph, nodesOfPhase(graph, name));
    const nodes = Object.entries(reset.nodes).map(([id, node]) =>
      node.phase === name ? ([id, { ...node, isolated: null }] as const) : ([id, node] as const),
    );
    return { ...reset, nodes: Object.fromEntries(nodes) };
  });
}

async function begin(run: Run, phase: WorkflowPhase, tried: number): Promise<void> {
  const known = phaseOf(run.progress, phase.name);
  // A phase that goes on after an interruption has its checkpoint already, or none; a new one would hold half of its work.
  const isBegun = known?.status === "running";
  const begins = tried === 1 && !isBegun;
  const isAgain = (known?.attempts ?? 0) > 0;
  const taken = begins ? await checkpointBefore(run, phase, isAgain) : undefined;
  const attempt = (known?.attempts ?? 0) + 1;
  await run.update(`phase ${phase.name} begins, attempt ${attempt}`, (progress) => ({
    ...withPhase(progress, phase.name, {
      status: "running",
      attempts: attempt,
      started_at: isBegun ? (known.started_at ?? run.now()) : run.now(),
      ...(tried === 1 ? { resumed_at: isBegun ? run.now() : null } : {}),
      completed_at: null,
      error: null,
      passed_over: false,
      // What an earlier run began with is not where this one goes back to.
      ...(begins ? { checkpoint_before: taken?.id ?? null } : {}),
    }),
    current_phase: phase.name,
    current_step: phase.step,
  }));
  run.emit({
    event: "phase_started",
    phase: phase.name,
    step: phase.step,
    attempt,
    of: run.workflow.phases.length,
  });
}

async function checkpointBefore(
  run: Run,
  phase: WorkflowPhase,
  isAgain: boolean,
): Promise<CheckpointDocument | undefined> {
  const { config } = run.project;
  const isFirst = run.current === undefined && run.options.isResumed !== true;
  const { kind } = preCheckpoint(config, { ...phase, isFirst });
  // After a resume there may be no batch to begin with, and so no other moment to go back to.
  const needsOne = isAgain && (phase.retries > 0 || phase.onFail === "rollback");
  if (needsOne) return takeBefore(run, phase);
  if (kind === "none" || (kind === "if_dirty" && !(await hasChanges(run)))) return undefined;
  return takeBefore(run, phase);
}

/** After a rollback to it the phase is the current one, as the result of the rollback says. */
async function takeBefore(run: Run, phase: WorkflowPhase): Promise<CheckpointDocument | undefined> {
  const place = { current_phase: phase.name, current_step: phase.step };
  await run.update(`phase ${phase.name} is next`, (progress) => ({ ...progress, ...place }));
  return takeCheckpoint(run, { trigger: "pre_phase", reason: `before ${phase.name}`, phase });
}

async function hasChanges({ project }: Run): Promise<boolean> {
  const capture = await project.workTree.capture({ policy: project.policy, onlyLook: true });
  const { stats, operation } = capture.git;
  capture.discard();
  return operation !== "none" || Object.values(stats).some((count) => count > 0);
}

async function attemptPhase(
  run: Run,
  phase: WorkflowPhase,
  failures: Map<string, number>,
): Promise<Attempt> {
  const phaseLimit = new TimeLimit(phase.timeoutMs);
  try {
    // What a session that was stopped had not merged yet.
    await mergeResults(run, phase, phaseLimit);
    for (;;) {
      run.control.refuseHalted();
      const nodes = batchOf(run, phase);
      if (nodes.length === 0) break;
      const end = await runBatch(run, { phase, nodes, phaseLimit, failures });
      run.control.refuseHalted();
      if (end.kind === "failed") return failedNodes(phase, end, phaseLimit.isOver);
    }
    const stuck = stuckNodes(run, phase);
    if (stuck !== undefined) return stuck;
    const checked = await checkPhase(run, phase, phaseLimit);
    return checked.kind === "good" ? checked : { ...checked, node: null, mayRetry: true };
  } finally {
    phaseLimit.close();
  }
}

function batchOf(run: Run, phase: WorkflowPhase): WorkflowNode[] {
  const graph = run.progress.execution_graph;
  if (graph === null) return [];
  const ids = new Set(nextBatch(graph, phase.name));
  return phase.nodes.filter(({ name }) => ids.has(nodeId(phase.name, name)));
}

function failedNodes(
  { name: phase }: WorkflowPhase,
  { failed, obstacle }: FailedBatch,
  isTimeOver: boolean,
): Attempt {
  const [first] = failed;
  const error = failed
    .map(
      ({ node: { name }, error: why }) => `${name === phase ? "" : `${name}: `}${why ?? "failed"}`,
    )
    .join("; ");
  return {
    kind: "bad",
    error,
    node: first?.node.name ?? null,
    log: first?.log ?? null,
    lastLines: first?.lastLines ?? [],
    mayRetry: isTimeOver,
    obstacle,
  };
}

/** Nodes that nobody decided about: a resumed session found them unknown, or what they need failed. */
function stuckNodes(run: Run, phase: WorkflowPhase): Attempt | undefined {
  const graph = run.progress.execution_graph;
  if (graph === null) return undefined;
  const why = new Map(unreachableNodes(graph, phase.name).map((node) => [node.id, node.why]));
  const stuck = nodesOfPhase(graph, phase.name).flatMap((id) => {
    const node = graph.nodes[id];
    if (node === undefined || node.status === "completed" || node.status === "skipped") return [];
    return [`${node.name}: ${why.get(id) ?? `it is ${node.status}`}`];
  });
  if (stuck.length === 0) return undefined;
  const error = stuck.join("; ");
  return { kind: "bad", error, node: null, log: null, lastLines: [], mayRetry: false };
}

async function complete(
  run: Run,
  phase: WorkflowPhase,
  change: (progress: WorkflowProgress) => WorkflowProgress,
): Promise<void> {
  await run.update(`phase ${phase.name} is completed`, (progress) =>
    withPhase(change(progress), phase.name, {
      status: "completed",
      completed_at: run.now(),
      error: null,
    }),
  );
  const { config } = run.project;
  if (postCheckpoint(config, phase)) {
    const taken = await takeCheckpoint(run, {
      trigger: "post_phase",
      reason: `after ${phase.name}`,
      phase,
    });
    if (taken !== undefined) {
      await run.update(`phase ${phase.name} is in ${taken.id}`, (progress) =>
        withPhase(progress, phase.name, { checkpoint_after: taken.id }),
      );
    }
  }
  finished(run, phase, "completed", null);
}

function finished(
  run: Run,
  phase: WorkflowPhase,
  status: "completed" | "failed",
  error: string | null,
): void {
  const known = phaseOf(run.progress, phase.name);
  run.emit({
    event: "phase_finished",
    phase: phase.name,
    step: phase.step,
    status,
    error,
    duration_ms: run.msSince(known === undefined ? null : workedSince(known)),
  });
}

/** The state before the phase, or before the first of its batches. */
async function startOf(run: Run, phase: WorkflowPhase): Promise<CheckpointDocument | undefined> {
  const known = phaseOf(run.progress, phase.name);
  const before = await checkpointById(run, known?.checkpoint_before);
  if (before !== undefined) return before;
  const since = known?.started_at ?? "";
  const first = run.progress.execution_graph?.batches.find(
    (batch) => batch.phase === phase.name && (batch.started_at ?? "") >= since,
  );
  return checkpointById(run, first?.checkpoint_before);
}

/** What kept a phase from being taken back. */
type Obstacle = Pick<Failure, "message" | "hint">;

const NO_CHECKPOINT: Obstacle = {
  message: "there is no checkpoint before it",
  hint: "It was skipped or deleted: the phase's changes stay until you revert them yourself.",
};

async function fail(
  run: Run,
  phase: WorkflowPhase,
  failure: PhaseFailure,
  target: CheckpointDocument | undefined,
): Promise<void> {
  const now = run.progress;
  const wantsBack = phase.onFail === "rollback";
  const obstacle = wantsBack ? await takeBack(run, phase, failure, target) : undefined;
  const error = wholeError(failure, obstacle);
  // The checkpoint of before the phase does not have its beginning.
  const { started_at, resumed_at } = phaseOf(now, phase.name) ?? {
    started_at: null,
    resumed_at: null,
  };
  const failed = {
    status: "failed",
    started_at,
    resumed_at,
    completed_at: run.now(),
    error,
  } as const;
  if (phase.onFail === "continue") {
    await mergeWhatIsDone(run, phase);
    await run.update(`phase ${phase.name} failed and is skipped: ${error}`, (progress) =>
      withPhase(progress, phase.name, { ...failed, passed_over: true }),
    );
    finished(run, phase, "failed", error);
    run.warn(`${phase.name} failed (${error}); continuing (on_fail: continue)`, phase);
    return;
  }
  const isBack = wantsBack && obstacle === undefined;
  if (isBack) {
    await goOnWith(run, `phase ${phase.name} failed and was rolled back: ${error}`, (restored) =>
      withPhase(takenBack(restored, now, new Set()), phase.name, failed),
    );
  } else {
    await run.update(`phase ${phase.name} failed: ${error}`, (progress) =>
      withPhase(progress, phase.name, failed),
    );
  }
  finished(run, phase, "failed", error);
  throw new Stopped({
    status: "failed",
    exitCode: 1,
    reason: `phase ${phase.name} failed: ${error}`,
    hint: failureHint(failure, isBack, obstacle ?? failure.obstacle),
    phase: phase.name,
    node: failure.node,
    trigger: isBack && !run.isTouched ? null : "session_end",
    rollbackCommand: isBack || target === undefined ? null : target.restore_command,
  });
}

/** Undefined: it is. */
async function takeBack(
  run: Run,
  phase: WorkflowPhase,
  { error }: PhaseFailure,
  target: CheckpointDocument | undefined,
): Promise<Obstacle | undefined> {
  if (target === undefined) return NO_CHECKPOINT;
  return goBackIfPossible(run, { target, reason: `${phase.name} failed: ${error}`, phase });
}

/** What failed comes first: a rollback that failed after it must not hide it, nor be missing. */
function wholeError(failure: PhaseFailure, obstacle: Obstacle | undefined): string {
  const { error } = failure;
  if (obstacle !== undefined) return `${error}, and could not be rolled back: ${obstacle.message}`;
  if (failure.obstacle === undefined) return error;
  return `${error}, and could not be rolled back for another attempt: ${failure.obstacle.message}`;
}

function failureHint(
  { log, lastLines }: PhaseFailure,
  isBack: boolean,
  obstacle: Obstacle | undefined,
): string | null {
  const lines = [
    ...(lastLines.length === 0
      ? []
      : ["Last lines of output:", ...lastLines.map((line) => `  ${line}`)]),
    ...(log === null ? [] : [`Full log: ${log}`]),
    ...(isBack ? ["The phase's changes were rolled back; `waymark undo` restores them."] : []),
    ...(obstacle === undefined ? [] : [`About the rollback: ${obstacle.hint}`]),
  ];
  return lines.length === 0 ? null : lines.join("\n");
}
