/** What a rollback is asked to do, and what it says about the result. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { RollbackKind, SelectiveRecord, UndoEntry } from "../domain/session.ts";
import type { RollbackPlan, RollbackScope } from "./plan-rollback.ts";

export interface RollbackOrder {
  readonly kind: Exclude<RollbackKind, "recovery">;
  readonly target: CheckpointDocument;
  readonly sessionId: string;
  readonly scope: RollbackScope;
  readonly discardCommits: boolean;
  /** Go to a checkpoint that has expired. Undo and redo go to safety checkpoints, which never do. */
  readonly evenIfExpired?: boolean;
  readonly reason: string | null;
  /** Asked with the plan and whether work was done since the rollback that is being undone. */
  readonly confirm: (
    plan: RollbackPlan,
    expected: boolean,
    undoes: CheckpointDocument | undefined,
  ) => Promise<boolean>;
  /** True when the question was answered before: then it is not asked while locks are held. */
  readonly confirmed: boolean;
  /**
   * Given the plan that is about to be carried out and the sameness of the moment that it was made for, with nothing changed yet; what it
   * throws ends the rollback.
   */
  readonly check?: (plan: RollbackPlan, sameness: string) => void;
  /** Set where the target is the project without what one session did. */
  readonly selective?: SelectiveRecord;
  /** For undo and redo: the entry that is taken from the list. */
  readonly entry?: UndoEntry;
  /** For undo and redo: the checkpoint of the rollback that is undone or redone, where it is still there. */
  readonly undoes?: CheckpointDocument;
  /** For undo and redo, asked when nobody else can begin a rollback any more: whether it is still this entry's turn. */
  readonly isStillNext?: () => Promise<boolean>;
  /** The id of the journal entry. */
  readonly id: string;
}

export interface Verification {
  readonly match: boolean;
  readonly pre_state_hash: string;
  readonly post_state_hash: string;
  readonly checkpoint_hash: string;
}
