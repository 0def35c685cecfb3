/** What the nodes of one batch share: the state that each of them began with, and what became of it so far. */
import { mergeStates, type StateConflict } from "../../domain/workflow/merge-states.ts";
import type { WorkflowProgress } from "../../domain/workflow/progress.ts";

export class RunningBatch {
  readonly baseState: unknown;
  readonly #order: readonly string[];
  readonly #states = new Map<string, unknown>();
  conflicts: readonly StateConflict[] = [];

  /** `names`: the nodes, in the order of the batch. */
  constructor(baseState: unknown, names: readonly string[]) {
    this.baseState = baseState;
    this.#order = names;
  }

  /** The state with that of all nodes that are done: the order in which they ended does not matter. */
  addState(node: string, state: unknown): Pick<WorkflowProgress, "state"> {
    this.#states.set(node, state);
    const done = this.#order.filter((name) => this.#states.has(name));
    const base = this.baseState ?? {};
    const merged = mergeStates(
      base,
      done.map((name) => ({ node: name, state: this.#states.get(name) })),
    );
    this.conflicts = merged.conflicts;
    const isUntouched = this.baseState === undefined && JSON.stringify(merged.state) === "{}";
    return isUntouched ? {} : { state: merged.state };
  }
}
