/** What the nodes of one batch share: the state that each of them began with, and what became of it so far. */
import { mergeStates, type StateConflict } from "../../domain/workflow/merge-states.ts";
import type { WorkflowProgress } from "../../domain/workflow/progress.ts";
import { stateProblem } from "../../domain/workflow/state-limit.ts";

export type AddedState =
  | { readonly kind: "added"; readonly change: Pick<WorkflowProgress, "state"> }
  | { readonly kind: "bad"; readonly problem: string };

export class RunningBatch {
  readonly baseState: unknown;
  readonly #order: readonly string[];
  #states: ReadonlyMap<string, unknown> = new Map();
  conflicts: readonly StateConflict[] = [];

  /** `names`: the nodes, in the order of the batch. */
  constructor(baseState: unknown, names: readonly string[]) {
    this.baseState = baseState;
    this.#order = names;
  }

  /**
   * The state with that of all nodes that are done: the order in which they ended does not matter. One that makes it too large
   * adds nothing.
   */
  addState(node: string, state: unknown): AddedState {
    const states = new Map(this.#states).set(node, state);
    const done = this.#order.filter((name) => states.has(name));
    const base = this.baseState ?? {};
    const merged = mergeStates(
      base,
      done.map((name) => ({ node: name, state: states.get(name) })),
    );
    const problem = stateProblem(base, state, merged.state);
    if (problem !== undefined) return { kind: "bad", problem };
    this.#states = states;
    this.conflicts = merged.conflicts;
    const isUntouched = this.baseState === undefined && JSON.stringify(merged.state) === "{}";
    return { kind: "added", change: isUntouched ? {} : { state: merged.state } };
  }
}
