/** Every way in which Waymark can say no. Interfaces map each code to an exit code; adding one breaks their build. */
export type FailureCode =
  | "usage"
  | "not_a_repository"
  | "bare_repository"
  | "unsafe_repository"
  | "refused_root"
  | "git_missing"
  | "git_too_old"
  | "git_failed"
  | "config_invalid"
  | "workflow_invalid"
  | "file_not_found"
  | "checkpoint_not_found"
  | "ambiguous_selector"
  | "checkpoint_damaged"
  | "checkpoint_newer"
  | "checkpoint_expired"
  | "checkpoint_protected"
  | "archive_refused"
  | "archive_conflict"
  | "secrets_held"
  | "rebuild_failed"
  | "already_exists"
  | "session_damaged"
  | "session_not_found"
  | "session_held"
  | "session_status"
  | "lease_lost"
  | "roll_forward"
  | "nothing_to_undo"
  | "nothing_to_redo"
  | "needs_confirmation"
  | "cancelled"
  | "commits_would_leave"
  | "branch_in_use"
  | "locked"
  | "index_locked"
  | "repository_busy"
  | "over_budget"
  | "tool_missing"
  | "database_not_found"
  | "database_failed"
  | "database_busy"
  | "disk_full"
  | "no_permission"
  | "obstructed"
  | "case_collision"
  | "cannot_stash"
  | "cannot_isolate"
  | "restore_failed"
  | "recovery_failed"
  | "guard_not_rolled_back"
  | "phase_failed"
  | "io_failed"
  | "agent_file_invalid"
  | "agent_command_failed"
  | "interrupted";

export interface FailureDetails {
  /** What the user should do next, and what was not changed. */
  readonly hint: string;
  /** Machine-readable extras: candidates, paths, owners. */
  readonly details?: Readonly<Record<string, unknown>>;
  readonly cause?: unknown;
}

/** An expected failure. Anything else that is thrown is a bug in Waymark. */
export class Failure extends Error {
  readonly code: FailureCode;
  readonly hint: string;
  readonly details: Readonly<Record<string, unknown>>;

  constructor(code: FailureCode, message: string, more: FailureDetails) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.name = "Failure";
    this.code = code;
    this.hint = more.hint;
    this.details = more.details ?? {};
  }
}

/** The answer to a question was no, or there was none. */
export function cancelled(): Failure {
  return new Failure("cancelled", "Cancelled; nothing changed", {
    hint: "Run it again and answer y, or add --yes to skip the question.",
  });
}
