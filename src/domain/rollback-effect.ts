/** Which rollbacks of a work tree are in effect: those that were done, and not undone since. */
import type { RollbackRecord } from "./session.ts";

/** Ids of `rollback` entries of the journal, oldest first. */
export function rollbacksInEffect(
  history: readonly RollbackRecord[],
  worktreeId: string,
): readonly string[] {
  const done: string[] = [];
  let undone: string[] = [];
  for (const { id, kind, worktree_id } of history) {
    if (worktree_id !== worktreeId) continue;
    if (kind === "rollback") {
      done.push(id);
      undone = [];
    } else if (kind === "undo") {
      const last = done.pop();
      if (last !== undefined) undone.push(last);
    } else if (kind === "redo") {
      const last = undone.pop();
      if (last !== undefined) done.push(last);
    }
  }
  return done;
}
