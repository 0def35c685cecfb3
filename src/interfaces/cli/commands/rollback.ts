/** `waymark rollback` */
import { resolve } from "node:path";
import { isInside, parsePath, type BytePath } from "../../../domain/byte-path.ts";
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { holdsOutside } from "../../../domain/scope.ts";
import { findTarget, refuseExpired, targetWarnings } from "../../../operations/find-checkpoint.ts";
import { rollbackDocument } from "../../../operations/documents/rollback-document.ts";
import {
  ONLY_DATABASE,
  ONLY_STATE,
  type RollbackScope,
} from "../../../operations/plan-rollback.ts";
import { leftBehindBy } from "../../../operations/left-behind-by.ts";
import type { Project } from "../../../operations/project.ts";
import { rollBackIfDifferent } from "../../../operations/roll-back.ts";
import { rollbackId } from "../../../operations/rollback-id.ts";
import { refuseUnfit } from "../../../operations/refuse-unfit-rollback.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";
import { confirmPlan, showPlan } from "../confirm.ts";
import { givenReason } from "../given-reason.ts";
import { inProject, withoutLinks } from "../project-path.ts";
import { canAsk } from "../prompt.ts";
import { explainingFailure } from "../rollback-failed.ts";
import { rollbackLines } from "../rollback-report.ts";

interface Options {
  yes?: boolean;
  dryRun?: boolean;
  keepHead?: boolean;
  discardCommits?: boolean;
  filesOnly?: boolean;
  stateOnly?: boolean;
  databaseOnly?: boolean;
  paths?: string[];
  keepTask?: boolean;
  evenIfExpired?: boolean;
  onlySession?: string;
  onlyPathsOf?: string;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string | undefined];
  const options = context.options as Options;
  if (options.onlySession !== undefined || options.onlyPathsOf !== undefined) {
    const { runSelective } = await import("../selective-rollback.ts");
    await runSelective(context);
    return;
  }
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const chosen = selector ?? (await pick(context, project)).id;
  const target = await findTarget(project, view, chosen);
  for (const warning of targetWarnings(view, target)) output.warn(warning);
  const scope = scopeOf(context, project, options, target);
  await refuseUnfit(project, target, scope);
  const order = {
    kind: "rollback",
    target,
    scope,
    sessionId: view.sessionId,
    discardCommits: options.discardCommits === true,
  } as const;
  const behind = leftBehindBy(view, project, target, scope);
  const evenIfExpired = options.evenIfExpired === true;
  if (options.dryRun === true) {
    if (!evenIfExpired) await refuseExpired(project, target);
    await showPlan(project, output, order, behind);
    return;
  }
  const result = await explainingFailure({ project, output, target }, () =>
    rollBackIfDifferent(project, {
      ...order,
      evenIfExpired,
      reason: givenReason(context),
      confirmed: options.yes === true,
      confirm: (plan, expected) =>
        confirmPlan(output, { command: "rollback", plan, expected, leftBehind: behind }),
      id: rollbackId(project),
    }),
  );
  const isDone = result.kind !== "nothing_differs";
  output.result(
    "rollback",
    { ...rollbackDocument(project, result), became_invalid: isDone ? behind : [] },
    rollbackLines(result, output, behind),
  );
}

function scopeOf(
  context: Context,
  project: Project,
  options: Options,
  target: CheckpointDocument,
): RollbackScope {
  if (options.stateOnly === true || options.databaseOnly === true) {
    refuseTogether(options);
    return options.stateOnly === true ? ONLY_STATE : ONLY_DATABASE;
  }
  const { root } = project.workTree;
  const pathOf = (path: string): BytePath =>
    heldOutside(target, root, resolve(context.directory, path)) ??
    inProject(root, context.directory, path);
  return {
    filesOnly: options.filesOnly === true,
    keepHead: options.keepHead === true,
    paths: options.paths?.map(pathOf) ?? null,
    ...(options.keepTask === true ? { keepTask: true } : {}),
  };
}

/** A file outside of the project, or a folder there, that the checkpoint holds copies of. */
function heldOutside(target: CheckpointDocument, root: string, path: string): BytePath | undefined {
  const found = parsePath(withoutLinks(path));
  const isIn = isInside(found, parsePath(root));
  return !isIn && holdsOutside(target.parts, found) ? found : undefined;
}

function refuseTogether({ filesOnly, stateOnly, databaseOnly, paths }: Options): void {
  const given = {
    "--state-only": stateOnly === true,
    "--database-only": databaseOnly === true,
    "--files-only": filesOnly === true,
    "--paths": paths !== undefined,
  };
  const [one, other] = Object.entries(given).flatMap(([flag, isGiven]) => (isGiven ? [flag] : []));
  if (other === undefined) return;
  throw new Failure("usage", `${one} and ${other} cannot be used together`, {
    hint: "Use one of them. Nothing was changed.",
  });
}

async function pick(context: Context, project: Project): Promise<CheckpointDocument> {
  // A dumb terminal has no screen to draw the list on.
  if (!canAsk() || context.output.options.json || process.env["TERM"] === "dumb") {
    throw new Failure("needs_confirmation", "no checkpoint given", {
      hint:
        "`waymark list` shows them. `waymark rollback latest --yes` restores the last one; " +
        "`waymark rollback latest --dry-run` shows what that would do.",
    });
  }
  const { chooseTarget } = await import("../choose-target.ts");
  const { root } = project.workTree;
  const { paths = [] } = context.options as Options;
  return chooseTarget(
    context,
    project,
    paths.map((path) => inProject(root, context.directory, path)),
  );
}
