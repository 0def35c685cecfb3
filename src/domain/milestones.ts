/** Checkpoints that mark where work has come to: `keep_milestones` keeps them of a session that succeeded, `git.tags: milestones` tags them. */
import type { Trigger } from "./checkpoint.ts";

export const MILESTONES: ReadonlySet<Trigger> = new Set([
  "pre_phase",
  "post_phase",
  "conflict_resolved",
  "session_end",
  "manual",
]);
