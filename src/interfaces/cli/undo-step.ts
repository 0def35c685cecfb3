/** What `undo` and `redo` have in common. */
import { rollbackDocument } from "../../operations/documents/rollback-document.ts";
import { undoTarget, type undo } from "../../operations/undo.ts";
import type { Context } from "./command-spec.ts";
import { confirmPlan, showPlan } from "./confirm.ts";
import { givenReason } from "./given-reason.ts";
import { rollbackLines } from "./rollback-report.ts";

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
    const target = await undoTarget(project, sessionId, name);
    const discardCommits = options.discardCommits === true;
    await showPlan(project, output, { ...target, kind: name, discardCommits }, []);
    return;
  }
  const result = await act(project, {
    ...(sessionId === undefined ? {} : { sessionId }),
    discardCommits: options.discardCommits === true,
    reason: givenReason(context),
    confirmed: options.yes === true,
    confirm: (plan, expected, undoes) =>
      confirmPlan(output, { command: name, plan, expected, undoes, leftBehind: [] }),
  });
  output.result(
    "rollback",
    { ...rollbackDocument(project, result), became_invalid: [] },
    rollbackLines(result, output),
  );
}
