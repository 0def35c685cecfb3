/** `waymark purge` */
import { cancelled, Failure } from "../../../domain/failure.ts";
import { purgeSteps, targetText } from "../../../domain/purge.ts";
import { planPurge, purge, purgeTarget, type PurgePlan } from "../../../operations/purge.ts";
import { viewSessions } from "../../../operations/session-view.ts";
import type { Erasure } from "../../../ports/storage.ts";
import { confirm } from "../ask.ts";
import type { Context } from "../command-spec.ts";
import { givenReason } from "../given-reason.ts";
import type { Output } from "../output.ts";
import { printable } from "../printable.ts";
import { inProject, isThere } from "../project-path.ts";
import { counted } from "../units.ts";

interface Options {
  dryRun?: boolean;
  yes?: boolean;
}

export async function run(context: Context): Promise<number> {
  const [text] = context.args as [string];
  const { output } = context;
  const options: Options = context.options;
  if (text.trim() === "") {
    throw new Failure("usage", "an empty text names no object and no path", {
      hint: "Name a commit, a blob or a path. Nothing was changed.",
    });
  }
  const project = await context.openProject();
  if (options.dryRun !== true) {
    project.sweep();
    await project.sweepKept();
  }
  const { root } = project.workTree;
  const path = inProject(root, context.directory, text, "purge");
  const target = await purgeTarget(project, text, { path, isThere: isThere(root, path) });
  const plan = await planPurge(project, await viewSessions(project, context.sessionId), target);
  for (const name of plan.holders.unsearched) {
    output.warn(`${name} is damaged and was not searched`);
  }
  const found = planLines(output, plan);
  if (options.dryRun === true) {
    output.result("purge", purgeDocument(plan, undefined), [...found, ...stepLines(output, plan)]);
    return 0;
  }
  if (options.yes !== true) {
    const isConfirmed = await confirm(output, {
      lines: found,
      question: `Delete ${counted(plan.stored.length, "checkpoint")} for good and remove it from the store?`,
      hint: "Add --yes, or --dry-run to see what contains it. Nothing was changed.",
    });
    if (!isConfirmed) throw cancelled();
  }
  const erasure = await purge(project, plan, givenReason(context));
  const isGone = erasure.left.length === 0;
  output.result("purge", purgeDocument(plan, erasure), [
    ...erasedLines(output, plan, erasure),
    ...stepLines(output, plan),
  ]);
  if (!erasure.isPruned) {
    output.warn("another process is storing something; run the command again when it has finished");
  } else if (!isGone) {
    output.warn(
      `${counted(erasure.left.length, "object")} with this content remain: a checkpoint contains them under another path, or was created meanwhile; \`waymark purge OBJECT\` removes it too (\`left\` of --json has the ids)`,
    );
  }
  return isGone && erasure.isPruned ? 0 : 1;
}

function planLines(output: Output, plan: PurgePlan): string[] {
  const { holders, stored, deleted, target, deletion } = plan;
  const ids = stored.map(({ id }) => `  ${output.id(id)}${deleted.has(id) ? "  (deleted)" : ""}`);
  const contained = stored.length === 0 ? "no checkpoint contains" : "contained in";
  return [
    stored.length === 0
      ? `${contained} ${printable(targetText(target))}`
      : `${printable(targetText(target))} is ${contained} ${counted(stored.length, "checkpoint")}:`,
    ...ids,
    ...holders.sessions.map((id) => `  the history of session ${printable(id)}`),
    ...holders.otherRefs.map((ref) => `  ${printable(ref)}`),
    ...holders.exports.map((file) => `  ${printable(file)}`),
    ...holders.borrowed.map(
      ({ ref, commit }) =>
        `  ${ref} (${commit.slice(0, 10)}): your own history, which the store borrows`,
    ),
    ...deletion.warnings.map((warning) => `${output.paintTalk("yellow", "warning:")} ${warning}`),
  ];
}

function erasedLines(output: Output, plan: PurgePlan, erasure: Erasure): string[] {
  const gone = erasure.left.length === 0 && erasure.isPruned;
  return [
    ...plan.stored.map(({ id }) => `${output.paint("green", "deleted")} ${id}`),
    ...erasure.rewritten.map((id) => `session ${printable(id)}: its earlier history was removed`),
    ...erasure.removed.map((id) => `session ${printable(id)} was removed`),
    ...erasure.released.map(({ ref, commit }) => `released ${ref} (${commit.slice(0, 10)})`),
    ...(gone ? [`the store no longer contains ${printable(targetText(plan.target))}`] : []),
  ];
}

function stepLines(output: Output, { target, holders }: PurgePlan): string[] {
  const steps = purgeSteps(target, holders.project, holders.exports);
  if (steps.length === 0) return [];
  const title = holders.project.hasObjects
    ? "Your own repository contains it too; Waymark does not change that. To remove it there:"
    : "Exports contain it; Waymark does not delete them:";
  return [
    title,
    ...steps.flatMap(({ command, why }) => [
      `  ${printable(command)}`,
      `      ${output.paint("dim", printable(why))}`,
    ]),
  ];
}

function purgeDocument(plan: PurgePlan, erasure: Erasure | undefined): Record<string, unknown> {
  const { target, holders, stored, deleted, deletion } = plan;
  const { project } = holders;
  return {
    dry_run: erasure === undefined,
    target: { kind: target.kind, name: targetText(target) },
    objects: holders.objects,
    checkpoints: stored.map(({ id }) => ({ id, in_trash: deleted.has(id) })),
    sessions: holders.sessions,
    exports: holders.exports,
    borrowed: holders.borrowed,
    not_searched: holders.unsearched,
    gone: erasure !== undefined && erasure.isPruned && erasure.left.length === 0,
    left: erasure?.left ?? [],
    sessions_rewritten: erasure?.rewritten ?? [],
    sessions_removed: erasure?.removed ?? [],
    released: erasure?.released ?? [],
    in_repository: {
      contains: project.hasObjects,
      branches: project.branches,
      tags: project.tags,
      remote_branches: project.remoteBranches,
      other_refs: project.otherRefs,
      staged: project.isStaged,
    },
    steps: purgeSteps(target, project, holders.exports),
    warnings: deletion.warnings,
  };
}
