/** What `undo` and `redo` have in common. */
import {
  rollbackDocument,
  rollbackPlanDocument,
} from "../../operations/documents/rollback-document.ts";
import { planRollback } from "../../operations/plan-rollback.ts";
import { undoTarget, type undo } from "../../operations/undo.ts";
import type { Context } from "./command-spec.ts";
import { confirmPlan } from "./confirm.ts";
import { givenReason } from "./given-reason.ts";
import { planLines, rollbackLines } from "./rollback-report.ts";

interface Options {
  yes?: boolean;
  dryRun?: boolean;
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
  if (options.dryRun === true) {
    const { target, scope, sessionId: of } = await undoTarget(project, sessionId, name);
    const { plan, capture } = await planRollback(project, target, scope, { sessionId: of });
    capture.discard();
    const look = { paint: output.paint, leftBehind: [], most: Number.POSITIVE_INFINITY };
    output.result("rollback_plan", rollbackPlanDocument(plan, []), planLines(plan, look));
    return;
  }
  // Looked up before: when the undo is done, nothing may fail any more.
  const current = project.currentSession.get();
  const result = await act(project, {
    ...(sessionId === undefined ? {} : { sessionId }),
    discardCommits: options.discardCommits === true,
    reason: givenReason(context),
    confirmed: options.yes === true,
    confirm: (plan, expected) =>
      confirmPlan(output, { command: name, plan, expected, leftBehind: [] }),
  });
  const { session_id: of } = result.safety;
  // The last rollback of the work tree may be one of a session that ended since.
  if (current !== undefined && of !== current)
    output.warn(`this was a rollback of session ${of}, not of the current one, ${current}`);
  output.result(
    "rollback",
    { ...rollbackDocument(result), became_invalid: [] },
    rollbackLines(result, output),
  );
}
