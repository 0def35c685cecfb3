/** `waymark undo` and `waymark redo` */
import { redo, undo } from "../../../operations/undo.ts";
import { confirmPlan } from "../confirm.ts";
import { rollbackDocument, rollbackLines } from "../rollback-report.ts";
import type { AddCommand } from "../run-command.ts";

interface Options {
  yes?: boolean;
  discardCommits?: boolean;
  reason?: string;
}

export const addUndo = addCommand("undo", "take back the last rollback");
export const addRedo = addCommand("redo", "take back the last undo");

function addCommand(name: "undo" | "redo", description: string): AddCommand {
  return (program, run) => {
    program
      .command(name)
      .description(description)
      .option("-y, --yes", "do not ask")
      .option("--discard-commits", "move the branch back even if commits leave it")
      .option("-m, --reason <text>", "why, for the journal")
      .action((options: Options, command) =>
        run(command, async (project, output) => {
          const act = name === "undo" ? undo : redo;
          const { session } = output.options;
          const result = await act(project, {
            ...(session === undefined ? {} : { sessionId: session }),
            discardCommits: options.discardCommits === true,
            reason: options.reason ?? null,
            confirmed: options.yes === true,
            confirm: (plan, expected) => confirmPlan(output, plan, expected, name),
          });
          output.result("rollback", rollbackDocument(result), rollbackLines(result, output));
        }),
      );
  };
}
