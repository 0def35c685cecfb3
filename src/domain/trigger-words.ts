/** Triggers as tables and pages for people name them; `--trigger`, pipes and JSON have the names of documents. */
import type { Trigger } from "./checkpoint.ts";

export const TRIGGER_WORDS: Readonly<Record<Trigger, string>> = {
  pre_phase: "before phase",
  post_phase: "after phase",
  batch_complete: "after batch",
  agent_complete: "after agent",
  conflict_start: "conflict",
  conflict_resolved: "conflict resolved",
  user_interrupt: "interrupted",
  session_end: "session end",
  tool_use: "before tool",
  pre_rollback: "before rollback",
  manual: "manual",
  auto: "automatic",
};
