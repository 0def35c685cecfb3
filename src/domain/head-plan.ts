/** Where HEAD and branches go in a rollback, as a value. */
import type { GitSummary } from "./checkpoint.ts";

export interface RefMove {
  readonly name: string;
  /** Null: the ref does not exist. */
  readonly from: string | null;
  readonly to: string | null;
}

export interface HeadPosition {
  /** Full name of the branch, or null when detached. */
  readonly branch: string | null;
  readonly commit: string | null;
}

export interface HeadPlan {
  readonly from: HeadPosition;
  readonly to: HeadPosition;
  /** The branch that moves, is made again, or goes (a branch without commits yet). */
  readonly move: RefMove | null;
}

/** Null when HEAD is already where the checkpoint had it. */
export function planHead(
  now: HeadPosition,
  target: GitSummary,
  tipOfTargetBranch: string | null,
): HeadPlan | null {
  const to: HeadPosition = {
    branch: target.detached ? null : target.branch,
    commit: target.commit,
  };
  const move =
    to.branch !== null && tipOfTargetBranch !== to.commit
      ? { name: to.branch, from: tipOfTargetBranch, to: to.commit }
      : null;
  const isThere = now.branch === to.branch && now.commit === to.commit;
  return isThere && move === null ? null : { from: now, to, move };
}

/**
 * Refs that have to change so that they are as at the target. `now` has the present values of all refs that the target
 * names, and those of an operation in progress, which go if the target does not name them.
 */
export function planRefs(
  now: ReadonlyMap<string, string>,
  target: Readonly<Record<string, string | null>>,
): RefMove[] {
  const names = new Set([...now.keys(), ...Object.keys(target)]);
  return [...names].flatMap((name) => {
    const from = now.get(name) ?? null;
    const to = target[name] ?? null;
    return from === to ? [] : [{ name, from, to }];
  });
}
