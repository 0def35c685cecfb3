/** `waymark rollback` */
import { resolve, relative } from "node:path";
import { parsePath, type BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { findStored, refuseExpired, usable } from "../../../operations/find-checkpoint.ts";
import { planRollback, planSummary } from "../../../operations/plan-rollback.ts";
import { rollBack } from "../../../operations/roll-back.ts";
import { rollbackId } from "../../../operations/rollback-id.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { AddCommand } from "../run-command.ts";
import { confirmPlan } from "../confirm.ts";
import { planLines, rollbackDocument, rollbackLines } from "../rollback-report.ts";

interface Options {
  yes?: boolean;
  dryRun?: boolean;
  keepHead?: boolean;
  discardCommits?: boolean;
  filesOnly?: boolean;
  paths?: string[];
  evenIfExpired?: boolean;
  reason?: string;
}

export const addRollback: AddCommand = (program, run) => {
  program
    .command("rollback [checkpoint]")
    .description("make the project equal a checkpoint again; `undo` takes it back")
    .option("-y, --yes", "do not ask")
    .option("-n, --dry-run", "show what would happen and change nothing")
    .option("--keep-head", "leave HEAD and branches where they are")
    .option("--discard-commits", "move the branch back even if commits leave it")
    .option("--files-only", "restore files; leave HEAD and the index alone")
    .option("--paths <path...>", "restore only these files and folders")
    .option("--even-if-expired", "accept an expired checkpoint")
    .option("-m, --reason <text>", "why, for the journal")
    .addHelpText("after", EXAMPLES)
    .action((selector: string | undefined, options: Options, command) =>
      run(command, async (project, output) => {
        if (selector === undefined) {
          throw new Failure("usage", "which checkpoint? None was named", {
            hint: "`waymark list` shows them; `waymark rollback latest` goes to the last one.",
          });
        }
        const view = await viewSessions(project, output.options.session);
        const target = usable(view, findStored(project, view, selector));
        refuseExpired(target, project.clock.now(), options.evenIfExpired === true);
        if (!view.standing(target).valid) {
          output.warn(`${target.id} lies on a line that was rolled back; going there all the same`);
        }
        const scope = {
          filesOnly: options.filesOnly === true,
          keepHead: options.keepHead === true,
          paths:
            options.paths === undefined
              ? null
              : options.paths.map((path) =>
                  inProject(project.workTree.root, output.options.directory, path),
                ),
        };
        if (options.dryRun === true) {
          const { plan, capture } = await planRollback(project, target, scope);
          capture.discard();
          output.result(
            "rollback_plan",
            { dry_run: true, rolled_back: false, plan: planSummary(plan) },
            planLines(plan, output),
          );
          return;
        }
        const result = await rollBack(project, {
          kind: "rollback",
          target,
          sessionId: view.sessionId,
          scope,
          discardCommits: options.discardCommits === true,
          reason: options.reason ?? null,
          confirmed: options.yes === true,
          confirm: (plan, expected) => confirmPlan(output, plan, expected, "rollback"),
          id: rollbackId(project),
        });
        output.result("rollback", rollbackDocument(result), rollbackLines(result, output));
      }),
    );
};

const EXAMPLES = `
Examples:
  waymark rollback latest
  waymark rollback phase:implement --yes
  waymark rollback cp-04-implement --dry-run
  waymark rollback latest~2 --paths src/api`;

function inProject(root: string, directory: string, path: string): BytePath {
  const relativePath = relative(root, resolve(directory, path));
  if (relativePath === "") return parsePath("");
  if (relativePath === ".." || relativePath.startsWith("../")) {
    throw new Failure("usage", `--paths: ${path} is outside the project`);
  }
  return parsePath(relativePath);
}
