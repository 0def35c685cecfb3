/** The tool `preview_rollback`. */
import type { Answer } from "../answer.ts";
import { previewedStep } from "../confirmed-step.ts";
import { previewInput } from "../input-schemas.ts";
import { LOOKS, READ_ONLY, type Call, type Tool } from "../tool.ts";
import { askedStep } from "./asked-rollback.ts";

type Input = ReturnType<typeof previewInput.parse>;

export const previewRollbackTool: Tool<Input> = {
  name: "preview_rollback",
  title: "Preview rollback",
  description:
    "Shows what rolling back to a checkpoint would do: files written, removed and kept, branch moves, commits that would be dropped from a branch, later checkpoints " +
    "that will be marked as rolled past; with only_session, what undoing one session's work would do. Changes nothing and does not ask. The confirm_token in the answer " +
    "carries out exactly this plan: show the user what would be lost, then call roll_back with the same arguments and that token.",
  annotations: READ_ONLY,
  input: previewInput,
  kinds: ["rollback_plan"],
  opens: LOOKS,
  run: preview,
};

async function preview(call: Call, input: Input): Promise<Answer> {
  return previewedStep(call, await askedStep(call, input));
}
