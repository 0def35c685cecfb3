/**
 * Brings what isolated nodes left into the project: after their batch, and when a session goes on that was stopped in between.
 * A conflict is for the phase's resolver, and without one for a person.
 */
import { withNodeOf, nodeOf } from "../../domain/workflow/change-progress.ts";
import { variablesOf, folderOf, type WorkflowPhase } from "../../domain/workflow/definition.ts";
import { nodesOfPhase } from "../../domain/workflow/graph.ts";
import {
  isolatedOf,
  openConflictOf,
  withConflict,
  type IsolatedResult,
} from "../../domain/workflow/isolated-result.ts";
import { outputPaths } from "../../domain/workflow/output-paths.ts";
import { rollbacksInEffect } from "../../domain/rollback-effect.ts";
import type { OpenConflict } from "../../domain/workflow/merge-conflict.ts";
import { nodeId } from "../../domain/workflow/progress.ts";
import type { MergeSide } from "../../ports/isolated-work-trees.ts";
import {
  concludeConflict,
  mergeIsolated,
  type MergeOutcome,
  type ResolverAnswer,
} from "../merge-isolated.ts";
import { checkpointById } from "./go-back.ts";
import { attemptPlace, runCommand } from "./run-command.ts";
import { paused, type Stopped } from "./run-end.ts";
import { inFolder, nodeEnvironment } from "./run-node.ts";
import type { Run } from "./run.ts";
import { TimeLimit } from "./time-limit.ts";

/** Everything of the phase that is not in the project yet. */
export async function mergeResults(
  run: Run,
  phase: WorkflowPhase,
  phaseLimit: TimeLimit,
): Promise<void> {
  await settleConflict(run, phase);
  await noteTakenBack(run, phase);
  for (;;) {
    const results = unmerged(run, phase);
    const [first] = results;
    if (first === undefined) return;
    const baseId = first.isolated.base_id;
    const same = results.filter(({ isolated }) => isolated.base_id === baseId);
    await mergeAll(run, phase, phaseLimit, baseId, same);
  }
}

/** What completed nodes of a phase left that goes no further: it counts, as that of nodes without a work tree does. */
export async function mergeWhatIsDone(run: Run, phase: WorkflowPhase): Promise<void> {
  const unlimited = new TimeLimit(null);
  try {
    await mergeResults(run, phase, unlimited);
  } finally {
    unlimited.close();
  }
}

interface Unmerged {
  readonly name: string;
  readonly isolated: IsolatedResult;
}

function unmerged(run: Run, { name: phase }: WorkflowPhase): Unmerged[] {
  const graph = run.progress.execution_graph;
  if (graph === null) return [];
  return nodesOfPhase(graph, phase).flatMap((id) => {
    const node = graph.nodes[id];
    const isolated = isolatedOf(node);
    const isOpen = node?.status === "completed" && isolated?.merged === false;
    return isOpen ? [{ name: node.name, isolated }] : [];
  });
}

async function mergeAll(
  run: Run,
  phase: WorkflowPhase,
  phaseLimit: TimeLimit,
  baseId: string,
  nodes: readonly Unmerged[],
): Promise<void> {
  const base = await checkpointById(run, baseId);
  const results: MergeSide[] = [];
  for (const { name, isolated } of nodes) {
    const checkpoint = await checkpointById(run, isolated.checkpoint_id);
    const node = phase.nodes.find((known) => known.name === name);
    const outputs = node === undefined ? [] : outputPaths(node.outputs);
    if (checkpoint !== undefined) results.push({ name, checkpoint, outputs });
  }
  if (base === undefined || results.length < nodes.length) {
    const names = nodes.map(({ name }) => name).join(", ");
    throw paused(
      `the results of ${names} cannot be merged: one of their checkpoints no longer exists`,
      {
        exitCode: 1,
        phase: phase.name,
        hint: "`waymark rollback` to a checkpoint before the phase makes its nodes run again.",
      },
    );
  }
  run.isTouched = true;
  const outcome = await run.inTurn(() =>
    mergeIsolated(run.project, {
      base,
      results,
      place: run.place(phase),
      // Not in turn: the turn is this one.
      onConflict: async (conflict) => {
        await run.owned.update(`${conflict.node} conflicts`, (session) => ({
          ...session,
          workflow: withConflict(session.workflow ?? run.progress, conflict),
        }));
        announce(run, phase, conflict);
      },
      resolve: (conflict) => resolve(run, phase, phaseLimit, conflict),
    }),
  );
  await noteMerged(run, phase, outcome);
  if (outcome.kind !== "conflict") return;
  run.control.refuseHalted();
  throw waitsForPerson(phase, outcome);
}

function announce(run: Run, phase: WorkflowPhase, conflict: OpenConflict): void {
  run.emit({
    event: "conflict_found",
    phase: phase.name,
    step: phase.step,
    node: conflict.node,
    paths: conflict.paths.map(({ path }) => path),
    checkpoint_id: conflict.start_id,
    restore_command: conflict.restore_command,
  });
}

async function noteMerged(run: Run, phase: WorkflowPhase, outcome: MergeOutcome): Promise<void> {
  const { merged, kept, leftOut } = outcome;
  const open = openConflictOf(run.progress);
  await run.update(`merged ${merged.join(", ") || "nothing"}`, (progress) => {
    const marked = merged.reduce((changed, name) => {
      const id = nodeId(phase.name, name);
      const isolated = isolatedOf(nodeOf(changed, id));
      return isolated === undefined
        ? changed
        : withNodeOf(changed, id, {
            isolated: { ...isolated, merged: true, merged_by: outcome.rollbackIds },
          });
    }, progress);
    return outcome.kind === "merged" ? withConflict(marked, null) : marked;
  });
  if (open !== undefined && merged.includes(open.node)) {
    run.emit({
      event: "conflict_resolved",
      phase: phase.name,
      step: phase.step,
      node: open.node,
      checkpoint_id: outcome.checkpoints.at(-1) ?? null,
      by: "resolver",
    });
  }
  for (const { path, keptAt } of kept) {
    run.warn(`${path} was changed meanwhile and stays as it is (${keptAt})`, phase);
  }
  for (const { name, exclusion } of leftOut) {
    run.warn(`${exclusion.path} of ${name} was not merged (${exclusion.reason})`, phase);
  }
}

async function resolve(
  run: Run,
  phase: WorkflowPhase,
  phaseLimit: TimeLimit,
  conflict: OpenConflict,
): Promise<ResolverAnswer> {
  const { resolver } = phase;
  if (resolver === null) return { kind: "person" };
  const { runFiles, workTree } = run.project;
  const place = attemptPlace(run, phase, `resolver-${conflict.node}`, 1);
  const log = await runFiles.openLog(place);
  const list = await runFiles.writeJson(place, "conflicts", conflict.paths);
  try {
    const outcome = await runCommand(run, {
      phase,
      name: `resolver of ${conflict.node}`,
      line: resolver,
      cwd: inFolder(workTree.root, folderOf(run.workflow, phase)),
      env: {
        ...variablesOf(run.workflow, phase),
        ...nodeEnvironment(run, phase, conflict.node, 1),
        WAYMARK_CONFLICTS: list,
      },
      log,
      timeoutMs: null,
      phaseLimit,
      keepStdout: 0,
      isOneOfSeveral: false,
    });
    if (outcome.end === "ok") return { kind: "resolved" };
    return {
      kind: "failed",
      message: `the resolver failed: ${outcome.error ?? outcome.end} (${log.path})`,
    };
  } finally {
    log.close();
    await runFiles.remove(list);
  }
}

/** Results whose merge was undone since are not in the project any more: they are merged again. */
async function noteTakenBack(run: Run, phase: WorkflowPhase): Promise<void> {
  const graph = run.progress.execution_graph;
  if (graph === null) return;
  const { history } = await run.owned.read();
  const inEffect = rollbacksInEffect(history, run.project.workTree.id);
  const back = nodesOfPhase(graph, phase.name).filter((id) => {
    const { merged = false, merged_by: by = [] } = isolatedOf(graph.nodes[id]) ?? {};
    return merged && by.some((rollbackId) => !inEffect.includes(rollbackId));
  });
  if (back.length === 0) return;
  run.warn(`the merge of ${back.join(", ")} was undone; merging again`, phase);
  await run.update(`${back.join(", ")} is merged again`, (progress) =>
    back.reduce((changed, id) => {
      const { merged_by: _, ...isolated } = isolatedOf(nodeOf(changed, id)) ?? {};
      return withNodeOf(changed, id, { isolated: { ...isolated, merged: false } });
    }, progress),
  );
}

/** A conflict that somebody was to resolve when the session stopped. */
async function settleConflict(run: Run, phase: WorkflowPhase): Promise<void> {
  const conflict = openConflictOf(run.progress);
  if (conflict === undefined) return;
  const end = await run.inTurn(() => concludeConflict(run.project, conflict, run.place(phase)));
  if (end.kind === "unresolved") {
    throw paused(`${end.paths.join(", ")} still has conflict markers`, {
      phase: phase.name,
      hint: personHint(conflict),
    });
  }
  const isResolved = end.kind === "resolved";
  await run.update(
    isResolved
      ? `the conflict with ${conflict.node} is resolved`
      : `${conflict.node} is merged again`,
    (progress) => {
      const id = nodeId(phase.name, conflict.node);
      const isolated = isolatedOf(nodeOf(progress, id));
      const marked =
        isolated === undefined || !isResolved
          ? progress
          : withNodeOf(progress, id, {
              isolated: { ...isolated, merged: true, merged_by: [conflict.rollback_id] },
            });
      return withConflict(marked, null);
    },
  );
  if (!isResolved) return;
  run.emit({
    event: "conflict_resolved",
    phase: phase.name,
    step: phase.step,
    node: conflict.node,
    checkpoint_id: end.checkpointId,
    by: "person",
  });
}

function waitsForPerson(
  phase: WorkflowPhase,
  { conflict, message, unresolved }: Extract<MergeOutcome, { kind: "conflict" }>,
): Stopped {
  const paths = (unresolved.length > 0 ? unresolved : conflict.paths.map(({ path }) => path)).join(
    ", ",
  );
  const why = message === null ? "" : ` (${message})`;
  return paused(`the result of ${conflict.node} conflicts in ${paths}${why}`, {
    phase: phase.name,
    node: conflict.node,
    hint: personHint(conflict),
    rollbackCommand: conflict.restore_command,
  });
}

function personHint({ restore_command: command }: OpenConflict): string {
  return `Edit the files until no conflict markers are left, then resume. \`${command}\` reverts the merge.`;
}
