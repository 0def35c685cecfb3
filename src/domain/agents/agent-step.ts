/**
 * One step of an agent: a tool call, or a turn, that begins at a checkpoint. Written down also where no new checkpoint was needed because nothing had
 * changed: whatever changes from there on may be the work of this step.
 */
export interface AgentStep {
  readonly at: string;
  /** The checkpoint that holds what was there before; null: none could be taken, and nobody knows what was. */
  readonly checkpoint_id: string | null;
  /** The checkpoint was taken for it; else nothing had changed since an earlier one. Not there: an earlier version wrote it. */
  readonly is_own?: boolean;
  readonly agent: string;
  readonly agent_session_id: string;
  /** `turn_end` and `session_end` end what went before and begin nothing. */
  readonly moment: "prompt" | "pre_tool" | "turn_end" | "session_end";
  readonly turn: number | null;
  readonly tool: string | null;
  readonly tool_kind: "write" | "shell" | "other" | null;
  readonly tool_use_id: string | null;
  /** What a tool that writes named, from the project's root; null: it might change anything. */
  readonly paths: readonly string[] | null;
}
