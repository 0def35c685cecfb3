/** `waymark rollback` */
import { resolve } from "node:path";
import {
  asBytePath,
  isInside,
  parsePath,
  ROOT,
  showPath,
  type BytePath,
} from "../../../domain/byte-path.ts";
import type { CheckpointDocument } from "../../../domain/checkpoint.ts";
import { Failure } from "../../../domain/failure.ts";
import { isOutside } from "../../../domain/file-backup.ts";
import { mayMatchBelow, pathMatcher } from "../../../domain/path-pattern.ts";
import { scopeFilter } from "../../../domain/scope.ts";
import { leftBehind } from "../../../domain/lineage.ts";
import { checkedDocument, findStored, refuseExpired } from "../../../operations/find-checkpoint.ts";
import {
  isPartial,
  ONLY_STATE,
  planRollback,
  planSummary,
  type RollbackScope,
} from "../../../operations/plan-rollback.ts";
import { partsInScope, previewParts } from "../../../operations/part-work.ts";
import type { Project } from "../../../operations/project.ts";
import { rollBack } from "../../../operations/roll-back.ts";
import { rollbackId } from "../../../operations/rollback-id.ts";
import { viewSessions, type SessionView } from "../../../operations/session-view.ts";
import type { Context } from "../command-spec.ts";
import { confirmPlan } from "../confirm.ts";
import { givenReason } from "../given-reason.ts";
import { inProject, isThere, withoutLinks } from "../project-path.ts";
import { canAsk } from "../prompt.ts";
import { explainingFailure } from "../rollback-failed.ts";
import { planLines, rollbackDocument, rollbackLines } from "../rollback-report.ts";

interface Options {
  yes?: boolean;
  dryRun?: boolean;
  keepHead?: boolean;
  discardCommits?: boolean;
  filesOnly?: boolean;
  stateOnly?: boolean;
  paths?: string[];
  keepTask?: boolean;
  evenIfExpired?: boolean;
}

export async function run(context: Context): Promise<void> {
  const { output } = context;
  const [selector] = context.args as [string | undefined];
  const options = context.options as Options;
  const project = await context.openProject();
  const view = await viewSessions(project, context.sessionId);
  const chosen = selector ?? (await pick(context, project)).id;
  const target = await checkedDocument(project, view, findStored(project, view, chosen));
  if (!view.standing(target).valid) {
    output.warn(`${target.id} lies on a line that was rolled back; going there all the same`);
  }
  const scope = scopeOf(context, project, options, target);
  refuseNoState(target, scope);
  refuseNoTask(target, scope);
  refuseOutOfScope(target, scope);
  await refuseUnknownPaths(project, target, scope);
  const behind = leftBehindBy(view, project, target, scope);
  const evenIfExpired = options.evenIfExpired === true;
  if (options.dryRun === true) {
    if (!evenIfExpired) await refuseExpired(project, target);
    const { plan, capture } = await planRollback(project, target, scope, {
      sessionId: view.sessionId,
    });
    capture.discard();
    const look = { paint: output.paint, leftBehind: behind, most: Number.POSITIVE_INFINITY };
    output.result(
      "rollback_plan",
      {
        dry_run: true,
        rolled_back: false,
        plan: planSummary(plan),
        becomes_invalid: behind,
      },
      planLines(plan, look),
    );
    return;
  }
  const result = await explainingFailure({ project, output, target }, () =>
    rollBack(project, {
      kind: "rollback",
      target,
      sessionId: view.sessionId,
      scope,
      discardCommits: options.discardCommits === true,
      evenIfExpired,
      reason: givenReason(context),
      confirmed: options.yes === true,
      confirm: (plan, expected) =>
        confirmPlan(output, { command: "rollback", plan, expected, leftBehind: behind }),
      id: rollbackId(project),
    }),
  );
  output.result(
    "rollback",
    { ...rollbackDocument(result), became_invalid: behind },
    rollbackLines(result, output),
  );
}

function scopeOf(
  context: Context,
  project: Project,
  options: Options,
  target: CheckpointDocument,
): RollbackScope {
  if (options.stateOnly === true) {
    refuseTogether(options);
    return ONLY_STATE;
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
function heldOutside(
  { parts }: CheckpointDocument,
  root: string,
  path: string,
): BytePath | undefined {
  const outside = parts.flatMap((part) => (part.type === "file_backup" ? part.outside : []));
  const found = parsePath(withoutLinks(path));
  const below = asBytePath(found.slice(1));
  if (below === ROOT || isInside(found, parsePath(root))) return undefined;
  const isHeld = pathMatcher(outside)(below, true) || mayMatchBelow(outside)(below);
  return isHeld ? found : undefined;
}

function refuseTogether({ filesOnly, paths }: Options): void {
  if (filesOnly !== true && paths === undefined) return;
  const other = filesOnly === true ? "--files-only" : "--paths";
  throw new Failure("usage", `--state-only and ${other} exclude each other`, {
    hint: "Use one of them. Nothing was changed.",
  });
}

function refuseNoState({ id, parts }: CheckpointDocument, { stateOnly }: RollbackScope): void {
  if (stateOnly !== true || parts.some(({ type }) => type === "state_snapshot")) return;
  throw new Failure("usage", `checkpoint ${id} holds no state`, {
    hint: "`waymark create --state FILE` makes checkpoints that do. Nothing was changed.",
  });
}

/** Whoever wants a task to stay must not find out later that nobody knew which. */
function refuseNoTask({ id, task }: CheckpointDocument, { keepTask }: RollbackScope): void {
  if (keepTask !== true || task !== undefined) return;
  throw new Failure("usage", `--keep-task: checkpoint ${id} holds no task`, {
    hint: "`waymark create --task ID` makes checkpoints that do, where Backlog.md has such a task. Nothing was changed.",
  });
}

function refuseOutOfScope(target: CheckpointDocument, { paths }: RollbackScope): void {
  const filter = scopeFilter(target.scope?.files);
  const [out] = (paths ?? []).filter(
    (path) => !isOutside(path) && filter?.covers(path, true) === false && !filter.reaches(path),
  );
  if (out === undefined) return;
  throw new Failure("usage", `--paths: ${showPath(out)} is not in the scope of ${target.id}`, {
    hint: `It holds ${target.scope?.files?.join(", ") ?? ""}. Nothing was changed.`,
  });
}

/** A typing error must not look like a rollback that found nothing to do. */
async function refuseUnknownPaths(
  project: Project,
  target: CheckpointDocument,
  { paths }: RollbackScope,
): Promise<void> {
  const missing = (paths ?? []).filter(
    (path) => !isOutside(path) && !isThere(project.workTree.root, path),
  );
  const unknown = await withoutCopy(project, target, missing);
  if (unknown.length === 0) return;
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    const ends = [
      { kind: "now", capture },
      { kind: "checkpoint", document: target },
    ] as const;
    for (const path of unknown) {
      if ((await project.differ.files(...ends, [path])).length > 0) continue;
      throw new Failure("usage", `--paths: there is no ${showPath(path)}, neither now nor then`, {
        hint: `\`waymark diff ${target.id}\` shows what differs. Nothing was changed.`,
      });
    }
  } finally {
    capture.discard();
  }
}

/** Of these paths, those of which the checkpoint has no copy to bring back. */
async function withoutCopy(
  project: Project,
  target: CheckpointDocument,
  paths: readonly BytePath[],
): Promise<BytePath[]> {
  const unknown: BytePath[] = [];
  for (const path of paths) {
    const scope = { filesOnly: true, paths: [path] };
    const held = partsInScope(project, target, scope);
    const planned = await previewParts(project, target.session_id, held, scope);
    const isHeld = planned.some(({ preview }) => preview.changes.length + preview.kept.length > 0);
    if (!isHeld) unknown.push(path);
  }
  return unknown;
}

/** Going back a part of the way leaves the line as it is. */
function leftBehindBy(
  view: SessionView,
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
): string[] {
  if (isPartial(target, scope)) return [];
  const line = { sessionId: view.sessionId, worktreeId: project.workTree.id };
  return leftBehind(view.documents, view.standing, line, target).map(({ id }) => id);
}

async function pick(context: Context, project: Project): Promise<CheckpointDocument> {
  if (!canAsk() || context.output.options.json) {
    throw new Failure(
      "needs_confirmation",
      "which checkpoint? None was named, and nobody can be asked here",
      {
        hint:
          "`waymark list` shows them. `waymark rollback latest --yes` goes to the last one; " +
          "`waymark rollback latest --dry-run` shows what that would do.",
      },
    );
  }
  const { chooseTarget } = await import("../choose-target.ts");
  return chooseTarget(context, project);
}
