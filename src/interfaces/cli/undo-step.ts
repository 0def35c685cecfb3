/** What `undo` and `redo` have in common. */
import { rollbackDocument } from "../../operations/documents/rollback-document.ts";
import type { undo } from "../../operations/undo.ts";
import type { Context } from "./command-spec.ts";
import { confirmPlan } from "./confirm.ts";
import { givenReason } from "./given-reason.ts";
import { rollbackLines } from "./rollback-report.ts";

interface Options {
  yes?: boolean;
  discardCommits?: boolean;
}

export async function runStep(
  context: Context,
  name: "undo" | "redo",
  act: typeof undo,
): Promise<void> {
  const options = context.options as Options;
  const { output, sessionId } = context;
  const project = await context.openProject();
  const result = await act(project, {
    ...(sessionId === undefined ? {} : { sessionId }),
    discardCommits: options.discardCommits === true,
    reason: givenReason(context),
    confirmed: options.yes === true,
    confirm: (plan, expected) =>
      confirmPlan(output, { command: name, plan, expected, leftBehind: [] }),
  });
  const { session_id: of } = result.safety;
  const current = project.currentSession.get();
  // The last rollback of the work tree may be one of a session that ended since.
  if (current !== undefined && of !== current)
    output.warn(`this was a rollback of session ${of}, not of the current one, ${current}`);
  output.result("rollback", rollbackDocument(result), rollbackLines(result, output));
}
