/** What `undo` and `redo` have in common. */
import type { undo } from "../../operations/undo.ts";
import type { Context } from "./command-spec.ts";
import { confirmPlan } from "./confirm.ts";
import { givenReason } from "./given-reason.ts";
import { rollbackDocument, rollbackLines } from "./rollback-report.ts";

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
  const result = await act(await context.openProject(), {
    ...(sessionId === undefined ? {} : { sessionId }),
    discardCommits: options.discardCommits === true,
    reason: givenReason(context),
    confirmed: options.yes === true,
    confirm: (plan, expected) =>
      confirmPlan(output, { command: name, plan, expected, leftBehind: [] }),
  });
  output.result("rollback", rollbackDocument(result), rollbackLines(result, output));
}
