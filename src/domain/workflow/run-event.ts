/**
 * What happens in a workflow that runs, as it happens. `waymark run --json` prints each as one line; a library gets the same
 * values.
 */
import type { Trigger } from "../checkpoint.ts";
import type { RollbackKind } from "../session.ts";
import type { SessionStatus } from "./session-status.ts";

interface Moment {
  readonly at: string;
  readonly session_id: string;
}

interface OfPhase {
  readonly phase: string;
  readonly step: number;
}

interface OfNode extends OfPhase {
  readonly node: string;
  /** 1 for the first. */
  readonly attempt: number;
}

export interface LeftCommit {
  readonly branch: string;
  readonly commit: string;
  readonly subject: string;
}

/** What somebody else wrote during a rollback, and what could not come back: it stays as it is. */
export interface KeptSave {
  readonly path: string;
  readonly reason: "changed_meanwhile" | "elsewhere";
  /** Where the content that another program wrote is. */
  readonly kept_at?: string;
  /** Why it stayed, in words. */
  readonly summary?: string;
}

interface PhaseStanding {
  readonly name: string;
  readonly step: number;
  readonly status: string;
}

interface OfMaybePhase {
  readonly phase: string | null;
  readonly step: number | null;
}

/** How an attempt of a node ended. */
export type AttemptEnd = "completed" | "failed" | "timed_out" | "interrupted";

export type RunEventBody =
  | {
      readonly event: "session_started" | "session_resumed";
      readonly workflow: string;
      readonly phases: readonly PhaseStanding[];
    }
  | ({ readonly event: "phase_started"; readonly attempt: number; readonly of: number } & OfPhase)
  | ({
      readonly event: "checkpoint_created";
      readonly checkpoint_id: string;
      readonly trigger: Trigger;
      readonly reason: string | null;
    } & OfMaybePhase)
  | ({
      readonly event: "checkpoint_failed";
      readonly trigger: Trigger;
      readonly error: string;
      readonly hint: string;
      /** What is done about it. */
      readonly answer: CheckpointAnswer;
    } & OfMaybePhase)
  | ({
      readonly event: "batch_started";
      readonly batch: number;
      readonly nodes: readonly string[];
      /** Where a retry starts from; null: nowhere, its checkpoint was left out. */
      readonly checkpoint_id: string | null;
    } & OfPhase)
  | ({ readonly event: "node_started"; readonly log: string } & OfNode)
  /** The last whole line that it wrote; not every line gets an event. */
  | ({ readonly event: "node_output"; readonly line: string } & OfNode)
  | ({
      readonly event: "node_finished";
      readonly status: AttemptEnd;
      readonly exit_code: number | null;
      readonly error: string | null;
      readonly duration_ms: number;
      readonly log: string;
    } & OfNode)
  | ({
      readonly event: "node_retrying";
      /** Why, in words. */
      readonly reason: string;
      /** The checkpoint that it starts from; null: its own work tree is made anew. */
      readonly checkpoint_id: string | null;
      readonly delay_ms: number;
    } & OfNode)
  | ({ readonly event: "verify_started"; readonly command: string } & OfPhase)
  | ({
      readonly event: "verify_finished";
      readonly command: string;
      readonly ok: boolean;
      readonly error: string | null;
      readonly duration_ms: number;
      readonly log: string;
    } & OfPhase)
  | ({
      readonly event: "conflict_found";
      readonly node: string;
      readonly paths: readonly string[];
      readonly checkpoint_id: string;
      readonly restore_command: string;
    } & OfPhase)
  | ({
      readonly event: "conflict_resolved";
      readonly node: string;
      readonly checkpoint_id: string | null;
      readonly by: "resolver" | "person";
    } & OfPhase)
  | ({
      readonly event: "state_conflict";
      readonly key: string | null;
      readonly nodes: readonly string[];
      /** The node whose value counts. */
      readonly winner: string;
    } & OfPhase)
  | ({ readonly event: "breakpoint"; readonly answer: string } & OfPhase)
  | { readonly event: "request_obeyed"; readonly command: string; readonly by: string | null }
  | {
      readonly event: "request_refused";
      readonly command: string;
      readonly by: string | null;
      readonly reason: string;
    }
  | ({
      readonly event: "rolled_back";
      readonly checkpoint_id: string;
      /** Holds what was there before. */
      readonly undo_checkpoint_id: string;
      readonly reason: string;
      /** Commits that left a branch by it, whoever made them. */
      readonly commits_left: readonly LeftCommit[];
      /** What is not as the checkpoint has it, because somebody else saved it meanwhile. */
      readonly kept: readonly KeptSave[];
      /** Undefined: a rollback. */
      readonly rollback_kind?: RollbackKind;
      /** Set when the progress of the session was restored. */
      readonly phases?: readonly PhaseStanding[];
    } & OfMaybePhase)
  | ({
      readonly event: "phase_finished";
      readonly status: "completed" | "failed" | "skipped";
      readonly error: string | null;
      /** Of one that was left out while it ran: what becomes of what it did so far. */
      readonly reason?: string;
      readonly duration_ms: number;
    } & OfPhase)
  | ({ readonly event: "warning"; readonly message: string } & OfMaybePhase)
  | {
      readonly event: "session_ended";
      readonly status: SessionStatus;
      readonly exit_code: number;
      /** Why it did not reach its end; null: it did. */
      readonly reason: string | null;
      readonly hint: string | null;
      /** Goes on from here; null: there is nothing to go on with. */
      readonly resume_command: string | null;
      /** Takes back what the phase that failed did; null: nothing failed, or it was taken back. */
      readonly rollback_command: string | null;
      readonly checkpoint_id: string | null;
      readonly duration_ms: number;
    };

export type RunEvent = Moment & RunEventBody;

export type RunEventName = RunEventBody["event"];

/** What is done about a checkpoint that could not be taken. `fail` pauses the session and ends the run with an error. */
export const CHECKPOINT_ANSWERS = ["retry", "skip", "pause", "fail"] as const;
export type CheckpointAnswer = (typeof CHECKPOINT_ANSWERS)[number];
