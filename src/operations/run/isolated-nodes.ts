/** The work trees of the isolated nodes of one batch. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import { Failure, type FailureCode } from "../../domain/failure.ts";
import { asFailure } from "../../domain/system-error.ts";
import type { WorkflowNode, WorkflowPhase } from "../../domain/workflow/definition.ts";
import type { IsolatedResult } from "../../domain/workflow/isolated-result.ts";
import { outputPaths } from "../../domain/workflow/output-paths.ts";
import type { IsolatedTree } from "../../ports/isolated-work-trees.ts";
import { readIsolated, removeIsolated, startIsolated } from "../isolated-trees.ts";
import { whereItsWorkIs, whyItStays, type RemovedTree } from "../removed-tree.ts";
import type { Run } from "./run.ts";
import { paused } from "./run-end.ts";

/** For the node's entry in the session; no fields for a node without a tree. */
export type KeptTree =
  | { readonly kind: "kept"; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: "lost"; readonly problem: string };

/** These end the whole run. */
const NOT_OF_A_TREE: readonly FailureCode[] = ["lease_lost", "interrupted"];

export class IsolatedNodes {
  readonly #run: Run;
  readonly #phase: WorkflowPhase;
  readonly #base: CheckpointDocument | undefined;
  readonly #trees: ReadonlyMap<string, IsolatedTree>;
  /** Ids of the checkpoints of what nodes left, by their names. */
  readonly #results = new Map<string, string>();

  private constructor(
    run: Run,
    phase: WorkflowPhase,
    base: CheckpointDocument | undefined,
    trees: ReadonlyMap<string, IsolatedTree>,
  ) {
    this.#run = run;
    this.#phase = phase;
    this.#base = base;
    this.#trees = trees;
  }

  /** A tree for each node that is to have one, each with the files of the checkpoint. */
  static async begin(
    run: Run,
    phase: WorkflowPhase,
    base: CheckpointDocument | undefined,
    nodes: readonly WorkflowNode[],
  ): Promise<IsolatedNodes> {
    const names = nodes.filter(({ isolate }) => isolate !== null).map(({ name }) => name);
    if (names.length === 0) return new IsolatedNodes(run, phase, base, new Map());
    if (base === undefined) {
      throw paused("isolated nodes need a checkpoint to start from", {
        exitCode: 1,
        phase: phase.name,
        hint: "Resume when checkpoints can be created again.",
      });
    }
    const outputs = new Map(nodes.map((node) => [node.name, outputPaths(node.outputs)]));
    const trees = await run.inTurn(() =>
      startIsolated(run.project, base, names, (name) => outputs.get(name) ?? []),
    );
    return new IsolatedNodes(run, phase, base, new Map(trees.map((tree) => [tree.name, tree])));
  }

  treeOf({ name }: WorkflowNode): IsolatedTree | undefined {
    return this.#trees.get(name);
  }

  /** A node that damages its work tree has failed; those of the others are none of its business. */
  async keep(node: WorkflowNode): Promise<KeptTree> {
    const tree = this.treeOf(node);
    const base = this.#base;
    if (tree === undefined || base === undefined) return { kind: "kept", fields: {} };
    const read = await this.#orProblem(() =>
      readIsolated(this.#run.project, tree, base, this.#run.place(this.#phase)),
    );
    if (read instanceof Failure) {
      return { kind: "lost", problem: `its work tree can no longer be read: ${read.message}` };
    }
    const { checkpoint, commits } = read;
    this.#results.set(node.name, checkpoint.id);
    const isolated: IsolatedResult = {
      checkpoint_id: checkpoint.id,
      base_id: base.id,
      merged: false,
    };
    return {
      kind: "kept",
      fields: { isolated, ...(commits.length === 0 ? {} : { commits }) },
    };
  }

  /** Takes the trees away, each by itself; one that cannot go, or has something that no checkpoint holds, stays and is named. Work that is no result, of a node that failed say, is named too. */
  async close(): Promise<void> {
    for (const tree of this.#trees.values()) {
      const removed = await this.#orProblem(() =>
        removeIsolated(this.#run.project, tree, this.#results.get(tree.name)),
      );
      const end: RemovedTree =
        removed instanceof Failure ? { kind: "unreadable", tree, problem: removed } : removed;
      const said = whyItStays(end) ?? whereItsWorkIs(end);
      if (said !== undefined) this.#run.warn(said, this.#phase);
    }
  }

  async #orProblem<Result>(work: () => Promise<Result>): Promise<Result | Failure> {
    try {
      return await this.#run.inTurn(work);
    } catch (error) {
      const failure = asFailure(error);
      if (failure instanceof Failure && !NOT_OF_A_TREE.includes(failure.code)) return failure;
      throw error;
    }
  }
}
