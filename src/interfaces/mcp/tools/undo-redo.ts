/** The tools `undo` and `redo`. */
import { Failure } from "../../../domain/failure.ts";
import { redactReason } from "../../../domain/secrets/redact.ts";
import { redo, undo, undoTarget } from "../../../operations/undo.ts";
import { confirmedStep, previewedStep, type StepAnswer } from "../confirmed-step.ts";
import { given } from "../given.ts";
import { undoInput } from "../input-schemas.ts";
import { rollbackStep } from "../rollback-step.ts";
import { CHANGES, DESTRUCTIVE, type Call, type Tool } from "../tool.ts";

type Input = ReturnType<typeof undoInput.parse>;

const HOW =
  "Like roll_back it shows the plan first, acts only with its confirm_token or the user's yes, and takes a safety checkpoint.";

export const undoTool: Tool<Input> = {
  name: "undo",
  title: "Undo rollback",
  description: `Undoes the last rollback of this work tree and restores the state before it. ${HOW} It undoes rollbacks only, not edits; for those use roll_back.`,
  annotations: DESTRUCTIVE,
  input: undoInput,
  kinds: ["rollback_plan", "rollback"],
  opens: CHANGES,
  endsWithClient: true,
  audits: "undo",
  run: (call, input) => run(call, input, "undo"),
};

export const redoTool: Tool<Input> = {
  name: "redo",
  title: "Redo rollback",
  description: `Redoes the last undone rollback. ${HOW}`,
  annotations: DESTRUCTIVE,
  input: undoInput,
  kinds: ["rollback_plan", "rollback"],
  opens: CHANGES,
  endsWithClient: true,
  audits: "redo",
  run: (call, input) => run(call, input, "redo"),
};

async function run(call: Call, input: Input, kind: "undo" | "redo"): Promise<StepAnswer> {
  if (input.preview === true && input.confirm_token !== undefined) {
    throw new Failure("usage", "preview and confirm_token cannot be used together", {
      hint: `To carry out the plan, call ${kind} with confirm_token and without preview. Nothing was changed.`,
    });
  }
  const { project, host } = call;
  const sessionId = input.session ?? host.sessionId;
  const order = await undoTarget(project, sessionId, kind);
  const discardCommits = input.discard_commits === true;
  const step = rollbackStep(call, {
    ...order,
    kind,
    discardCommits,
    leftBehind: [],
    warnings: [],
    token: input.confirm_token,
    act: (check) =>
      (kind === "undo" ? undo : redo)(project, {
        ...given({ sessionId }),
        discardCommits,
        reason: redactReason(input.reason ?? null),
        confirmed: true,
        confirm: () => Promise.resolve(true),
        check,
      }),
  });
  return input.preview === true ? previewedStep(call, step) : confirmedStep(call, step);
}
