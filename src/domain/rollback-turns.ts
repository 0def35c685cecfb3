/** Which rollback of a work tree was the later one, whatever the clock said: it may have been set back between them. */
import type { RollbackRecord, SessionDocument } from "./session.ts";

export type Turn = Pick<RollbackRecord, "at" | "turn">;

/** Of the next rollback in this work tree. Only one can be under way there, so no number is given twice. */
export function nextTurn(sessions: readonly SessionDocument[], worktreeId: string): number {
  const turns = sessions
    .flatMap(({ history }) => history)
    .map(({ worktree_id, turn = 0 }) => (worktree_id === worktreeId ? turn : 0));
  return turns.reduce((last, turn) => Math.max(last, turn), 0) + 1;
}

/** By the numbers where both have one; else by the time. */
export function isLater(one: Turn, other: Turn): boolean {
  return one.turn === undefined || other.turn === undefined
    ? one.at > other.at
    : one.turn > other.turn;
}
