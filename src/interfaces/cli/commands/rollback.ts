/** `waymark rollback` */
import { resolve, relative } from "node:path";
import { parsePath, type BytePath } from "../../../domain/byte-path.ts";
import { Failure } from "../../../domain/failure.ts";
import { findStored, refuseExpired, usable } from "../../../operations/find-checkpoint.ts";
import { planRollback, planSummary } from "../../../operations/plan-rollback.ts";
import { rollBack } from "../../../operations/roll-back.ts";
import { rollbackId } from "../../../operations/rollback-id.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";
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

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string | undefined];
  const options = context.options as Options;
  const project = await context.openProject();
  if (selector === undefined) {
    throw new Failure("usage", "which checkpoint? None was named", {
      hint: "`waymark list` shows them; `waymark rollback latest` goes to the last one.",
    });
  }
  const view = await viewSessions(project, context.sessionId);
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
        : options.paths.map((path) => inProject(project.workTree.root, context.directory, path)),
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
}

function inProject(root: string, directory: string, path: string): BytePath {
  const relativePath = relative(root, resolve(directory, path));
  if (relativePath === "") return parsePath("");
  if (relativePath === ".." || relativePath.startsWith("../")) {
    throw new Failure("usage", `--paths: ${path} is outside the project`, {
      hint: `Paths are relative to the folder that you are in, and have to be below ${root}.`,
    });
  }
  return parsePath(relativePath);
}
