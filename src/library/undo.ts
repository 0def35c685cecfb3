/** Undo and redo as programs ask for them. */
import type { RollbackPlan } from "../operations/plan-rollback.ts";
import type { Project } from "../operations/project.ts";
import type { RollbackResult } from "../operations/roll-back.ts";
import { redo as redoLast, undo as undoLast, type UndoRequest } from "../operations/undo.ts";

export interface UndoOptions {
  /** Undefined: the last rollback in this work tree, whichever session it was in. */
  readonly sessionId?: string;
  /** Commits may leave their branch: they stay in the safety checkpoint. Without it that is refused. */
  readonly discardCommits?: boolean;
  /** For the journal. */
  readonly reason?: string;
  /**
   * Shown the plan, and whether the project is as the rollback left it; to answer false is to leave everything as it is. Undefined: nobody
   * is asked, and work that was done since goes into the safety checkpoint.
   */
  readonly confirm?: (plan: RollbackPlan, isAsLeft: boolean) => boolean | Promise<boolean>;
}

/** Takes back the last rollback. It is a rollback itself, so it can be taken back with `redo`. */
export function undo(project: Project, options: UndoOptions = {}): Promise<RollbackResult> {
  return undoLast(project, requestOf(options));
}

/** Takes back the last undo. */
export function redo(project: Project, options: UndoOptions = {}): Promise<RollbackResult> {
  return redoLast(project, requestOf(options));
}

function requestOf({ sessionId, discardCommits, reason, confirm }: UndoOptions): UndoRequest {
  return {
    ...(sessionId === undefined ? {} : { sessionId }),
    discardCommits: discardCommits === true,
    reason: reason ?? null,
    confirmed: confirm === undefined,
    confirm: async (plan, isAsLeft) => confirm === undefined || (await confirm(plan, isAsLeft)),
  };
}
