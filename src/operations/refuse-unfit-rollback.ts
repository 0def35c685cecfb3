/** What a rollback is asked for that its checkpoint cannot give: refused before anything is looked at closely. */
import { showPath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import { isOutside } from "../domain/file-backup.ts";
import { scopeFilter } from "../domain/scope.ts";
import { partsInScope, previewParts } from "./part-work.ts";
import type { RollbackScope } from "./plan-rollback.ts";
import type { Project } from "./project.ts";

export async function refuseUnfit(
  project: Project,
  target: CheckpointDocument,
  scope: RollbackScope,
): Promise<void> {
  refuseNoPart(target, scope);
  refuseNoTask(target, scope);
  refuseOutOfScope(target, scope);
  await refuseUnknownPaths(project, target, scope);
}

function refuseNoPart(
  { id, parts }: CheckpointDocument,
  { stateOnly, databaseOnly }: RollbackScope,
): void {
  if (databaseOnly === true && !parts.some(({ type }) => type === "database_savepoint")) {
    throw new Failure("usage", `checkpoint ${id} contains no database`, {
      hint: "`waymark show` shows what it contains. Nothing was changed.",
    });
  }
  if (stateOnly !== true || parts.some(({ type }) => type === "state_snapshot")) return;
  throw new Failure("usage", `checkpoint ${id} contains no state`, {
    hint: "`waymark create --state FILE` creates checkpoints with a state. Nothing was changed.",
  });
}

/** Whoever wants a task to stay must not find out later that nobody knew which. */
function refuseNoTask({ id, task }: CheckpointDocument, { keepTask }: RollbackScope): void {
  if (keepTask !== true || task !== undefined) return;
  throw new Failure("usage", `--keep-task: checkpoint ${id} contains no task`, {
    hint: "`waymark create --task ID` creates checkpoints with a task of Backlog.md. Nothing was changed.",
  });
}

function refuseOutOfScope(target: CheckpointDocument, { paths }: RollbackScope): void {
  const filter = scopeFilter(target.scope?.files);
  const [out] = (paths ?? []).filter(
    (path) => !isOutside(path) && filter?.covers(path, true) === false && !filter.reaches(path),
  );
  if (out === undefined) return;
  throw new Failure("usage", `--paths: ${showPath(out)} is not in the scope of ${target.id}`, {
    hint: `Its scope is ${target.scope?.files?.join(", ") ?? ""}. Nothing was changed.`,
  });
}

/** A path that is mistyped, or that the checkpoint does not know, must not look like a rollback that found nothing to do. */
async function refuseUnknownPaths(
  project: Project,
  target: CheckpointDocument,
  { paths }: RollbackScope,
): Promise<void> {
  const inside = (paths ?? []).filter((path) => path !== "" && !isOutside(path));
  const missing = new Set(await project.namedFiles.missing(inside.map(showPath)));
  const held = new Set(await project.workTree.pathsIn(target, inside));
  const notHeld: BytePath[] = [];
  for (const path of inside) {
    // What is in a folder that is there may differ, whatever the checkpoint has in its place.
    if (!held.has(path) && !(await project.namedFiles.isFolder(showPath(path)))) notHeld.push(path);
  }
  const unknown = await withoutCopy(project, target, notHeld);
  if (unknown.length === 0) return;
  const capture = await project.workTree.capture({ policy: project.policy });
  try {
    const ends = [
      { kind: "now", capture },
      { kind: "checkpoint", document: target },
    ] as const;
    for (const path of unknown) {
      if ((await project.differ.files(...ends, [path])).length > 0) continue;
      if (missing.has(showPath(path))) {
        throw new Failure(
          "usage",
          `--paths: ${showPath(path)} exists neither now nor in the checkpoint`,
          { hint: `\`waymark diff ${target.id}\` shows what differs. Nothing was changed.` },
        );
      }
      throw new Failure("usage", `--paths: ${showPath(path)} is not in checkpoint ${target.id}`, {
        hint: "Checkpoints do not contain ignored files, nested repositories and excluded files unless you ask for them. Nothing was changed.",
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
