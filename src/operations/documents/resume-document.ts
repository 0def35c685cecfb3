/** What a resume would do, as the document `resume_plan`. */
import type { ResumeDescription } from "../resume/describe-resume.ts";

/** Only looked at: nothing was taken up. */
export function dryResumeDocument(description: ResumeDescription): Record<string, unknown> {
  return {
    dry_run: true,
    resumed: false,
    token: null,
    taken_over_from: null,
    undo_checkpoint_id: null,
    ...description,
  };
}
