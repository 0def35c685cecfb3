/** A hook that could not do its work, as it is remembered for `doctor`. */
export interface HookFailure {
  readonly at: string;
  readonly agent: string;
  readonly agent_session_id: string;
  /** What the agent was about to do, or had done. */
  readonly moment: string;
  /** A failure code, or `internal` for a bug. */
  readonly code: string;
  readonly message: string;
}
