/** The work trees of the isolated nodes of one batch. */
import type { CheckpointDocument } from "../../domain/checkpoint.ts";
import type { WorkflowNode, WorkflowPhase } from "../../domain/workflow/definition.ts";
import type { IsolatedResult } from "../../domain/workflow/isolated-result.ts";
import type { IsolatedTree } from "../../ports/isolated-work-trees.ts";
import {
  readIsolated,
  removeIsolated,
  startIsolated,
  type RemovedTree,
} from "../isolated-trees.ts";
import type { Run } from "./run.ts";
import { paused } from "./run-end.ts";

export class IsolatedNodes {
  readonly #run: Run;
  readonly #phase: WorkflowPhase;
  readonly #base: CheckpointDocument | undefined;
  readonly #trees: ReadonlyMap<string, IsolatedTree>;

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
      throw paused("without a checkpoint no node gets a work tree of its own", {
        exitCode: 1,
        phase: phase.name,
        hint: "Resume when checkpoints can be taken again.",
      });
    }
    const trees = await run.inTurn(() => startIsolated(run.project, base, names));
    return new IsolatedNodes(run, phase, base, new Map(trees.map((tree) => [tree.name, tree])));
  }

  treeOf({ name }: WorkflowNode): IsolatedTree | undefined {
    return this.#trees.get(name);
  }

  /** For the node's entry in the session; nothing for a node without a tree. */
  async keep(node: WorkflowNode): Promise<Readonly<Record<string, unknown>>> {
    const tree = this.treeOf(node);
    const base = this.#base;
    if (tree === undefined || base === undefined) return {};
    const { checkpoint, commits } = await this.#run.inTurn(() =>
      readIsolated(this.#run.project, tree, base, this.#run.place(this.#phase)),
    );
    const isolated: IsolatedResult = {
      checkpoint_id: checkpoint.id,
      base_id: base.id,
      merged: false,
    };
    return { isolated, ...(commits.length === 0 ? {} : { commits }) };
  }

  /** Takes the trees away; one that has something that no checkpoint holds stays, and is named. */
  async close(): Promise<void> {
    for (const tree of this.#trees.values()) {
      const removed = await this.#run.inTurn(() => removeIsolated(this.#run.project, tree));
      const stays = whyItStays(removed);
      if (stays !== undefined) this.#run.warn(stays, this.#phase);
    }
  }
}

/** Undefined: the tree is gone. */
export function whyItStays(removed: RemovedTree): string | undefined {
  if (removed.kind === "removed") return undefined;
  const { name, path } = removed.tree;
  const why =
    removed.kind === "unreadable"
      ? removed.problem.message
      : `no checkpoint holds ${removed.notHeld.map((left) => left.path).join(", ")}`;
  return `the work tree of ${name} stays in ${path}: ${why}`;
}
