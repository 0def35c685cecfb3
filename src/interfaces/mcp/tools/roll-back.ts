/** The tool `roll_back`. */
import { confirmedStep, type StepAnswer } from "../confirmed-step.ts";
import { rollBackInput } from "../input-schemas.ts";
import { CHANGES, DESTRUCTIVE, type Call, type Tool } from "../tool.ts";
import { askedStep } from "./asked-rollback.ts";

type Input = ReturnType<typeof rollBackInput.parse>;

export const rollBackTool: Tool<Input> = {
  name: "roll_back",
  title: "Roll back",
  description:
    "Restores the project to a checkpoint: files, index, branch, and whatever else it contains. Called without confirm_token it changes nothing: " +
    "the client asks its user, or you get the plan with a confirm_token. Look at the plan, then call again with the same arguments and that token; " +
    "a token of preview_rollback works too. With only_session it undoes what one session did and keeps what others did. It is refused when the project changed since the plan was shown. A safety checkpoint is always taken first, and `undo` reverts the rollback. " +
    "Ignored files and what the checkpoint does not contain are kept. Do not use git reset, git checkout or git clean instead: they lose work.",
  annotations: DESTRUCTIVE,
  input: rollBackInput,
  kinds: ["rollback_plan", "rollback"],
  opens: CHANGES,
  endsWithClient: true,
  audits: "rollback",
  run,
};

async function run(call: Call, input: Input): Promise<StepAnswer> {
  return confirmedStep(call, await askedStep(call, input));
}
