/**
 * Makes checkpoints of states that git knows (a commit, a stash entry on top of it) instead of what is on disk.
 *
 * Obligations: nothing is believed that this repository does not hold whole; the work tree, the index, HEAD, branches and the stash list
 * stay as they are; no program of the repository is run; a session and its checkpoints become visible together or not at all.
 */
import type { CapturePolicy } from "../domain/capture-policy.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import type { NotCarriedCode, OldCode } from "../domain/old-formats/old-session.ts";
import type { SessionDocument } from "../domain/session.ts";
import type { Capture } from "./work-tree.ts";

/** What of the wanted state is not here. */
export interface CodeProblem {
  readonly code: NotCarriedCode;
  readonly message: string;
}

export interface FoundCode {
  /** Null: it is not here, and `problems` say why. */
  readonly commit: string | null;
  /** Full name; null: none. */
  readonly branch: string | null;
  /** The commit of a stash entry that was made for this very state. */
  readonly stash: string | null;
  readonly problems: readonly CodeProblem[];
}

export interface CodeCapture {
  readonly capture: Capture;
  readonly problems: readonly CodeProblem[];
}

/** A session with its checkpoints that is not visible yet. */
export interface SessionArrival {
  capture(code: FoundCode, policy: CapturePolicy): Promise<CodeCapture>;
  /**
   * Everything or nothing. `expected` is the version of the session that is replaced; undefined: it must not exist. False when it, or one
   * of the checkpoints, is no longer as expected.
   */
  publish(
    session: SessionDocument,
    expected: string | undefined,
    drafts: readonly { readonly document: CheckpointDocument; readonly capture: Capture }[],
  ): Promise<boolean>;
  discard(): void;
}

export interface CodeStates {
  find(wanted: OldCode): Promise<FoundCode>;
  begin(): SessionArrival;
}
