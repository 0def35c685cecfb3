/** What became of the work tree of a node that is not needed any more, and how that is said. */
import type { Exclusion } from "../domain/checkpoint.ts";
import type { Failure } from "../domain/failure.ts";
import type { IsolatedTree } from "../ports/isolated-work-trees.ts";

export type RemovedTree =
  | {
      readonly kind: "removed";
      readonly tree: IsolatedTree;
      /** Holds what was in it. Null: its folder was gone, or was never whole. */
      readonly checkpointId: string | null;
      /** False: its files and its commit were those that its result has, or that it began with where none was read. */
      readonly isChanged: boolean;
    }
  /** Something in it is held by no checkpoint. */
  | { readonly kind: "kept"; readonly tree: IsolatedTree; readonly notHeld: readonly Exclusion[] }
  /** No checkpoint of it can be taken, or somebody is still at work in it, so it stays. */
  | { readonly kind: "unreadable"; readonly tree: IsolatedTree; readonly problem: Failure };

/** Undefined: the tree is gone. */
export function whyItStays(removed: RemovedTree): string | undefined {
  const why = problemWith(removed);
  if (why === undefined) return undefined;
  const { name, path } = removed.tree;
  return `the work tree of ${name} is kept in ${path}: ${why}; \`waymark doctor\` shows what to do`;
}

export function problemWith(removed: RemovedTree): string | undefined {
  if (removed.kind === "removed") return undefined;
  if (removed.kind === "unreadable") return removed.problem.message;
  return `no checkpoint contains ${removed.notHeld.map((left) => left.path).join(", ")}`;
}

/** Undefined: there was none, or the tree is still there. */
export function whereItsWorkIs(removed: RemovedTree): string | undefined {
  if (removed.kind !== "removed" || !removed.isChanged) return undefined;
  const { checkpointId } = removed;
  return checkpointId === null
    ? undefined
    : `the work of ${removed.tree.name} is in ${checkpointId}`;
}
