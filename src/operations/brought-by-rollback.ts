/** What the rollback brought that an undo or redo takes back: which of it goes again (docs/decisions/0006-ignored-files-and-undo.md). */
import { nameOf, parsePath, type BytePath } from "../domain/byte-path.ts";
import type { CheckpointDocument, ExclusionReason } from "../domain/checkpoint.ts";
import type { Capture, Comparison } from "../ports/work-tree.ts";
import type { Project } from "./project.ts";

/** Why a file that a rollback brought may not be seen by the capture after it. */
const UNSEEN: ReadonlySet<ExclusionReason> = new Set([
  "sensitive",
  "sensitive_content",
  "ignored",
  "excluded",
  "over_budget",
  "nested_repository",
  "submodule",
]);
const SECRET: ReadonlySet<ExclusionReason> = new Set(["sensitive", "sensitive_content"]);

/**
 * Secrets, ignored files and others that the rollback which is taken back may have brought. No rule captures them, and yet its undo has to
 * take them away again, if they still are what it put there.
 */
export async function broughtUnseen(
  project: Project,
  capture: Capture,
  putThereBy: CheckpointDocument | undefined,
): Promise<ReadonlyMap<BytePath, ExclusionReason>> {
  const brought = new Map<BytePath, ExclusionReason>();
  if (putThereBy === undefined) return brought;
  for (const reason of UNSEEN) {
    const leftOut = capture.details.excluded
      .filter((exclusion) => exclusion.reason === reason)
      .map(({ path }) => parsePath(path));
    for (const path of await project.workTree.pathsIn(putThereBy, leftOut)) {
      brought.set(path, reason);
    }
  }
  return brought;
}

/** Whether somebody changed what git ignores since that rollback. */
async function hasOtherRules(
  project: Project,
  putThereBy: CheckpointDocument | undefined,
  { changes }: Comparison,
): Promise<boolean> {
  const rules = changes.filter(({ path }) => nameOf(path) === ".gitignore");
  if (putThereBy === undefined || rules.length === 0) return false;
  const present = rules.filter(({ before }) => before !== null);
  const held = await project.workTree.heldBy(putThereBy, present);
  if (held.size < present.length) return true;
  const gone = rules.flatMap(({ path, before }) => (before === null ? [path] : []));
  return (await project.workTree.pathsIn(putThereBy, gone)).length > 0;
}

/** What may go although it is ignored, and what of the files that the capture did not see stays all the same. */
export async function judgeBrought(
  project: Project,
  brought: ReadonlyMap<BytePath, ExclusionReason>,
  putThereBy: CheckpointDocument | undefined,
  comparison: Comparison,
): Promise<{
  readonly ours: ReadonlySet<BytePath>;
  readonly foreign: ReadonlyMap<BytePath, ExclusionReason>;
}> {
  const leaving = comparison.changes.filter(({ target }) => target === null);
  const ours = await project.workTree.heldBy(putThereBy, leaving);
  const areOtherRules = await hasOtherRules(project, putThereBy, comparison);
  return { ours, foreign: notToTakeAway(brought, ours, leaving, areOtherRules) };
}

/** Of these, what stays: secrets that somebody changed since, and others that would leave, if they were changed or are ignored by other rules. */
function notToTakeAway(
  brought: ReadonlyMap<BytePath, ExclusionReason>,
  ours: ReadonlySet<BytePath>,
  leaving: Comparison["changes"],
  areOtherRules: boolean,
): ReadonlyMap<BytePath, ExclusionReason> {
  const wouldLeave = new Set(leaving.map(({ path }) => path));
  return new Map(
    [...brought].filter(([path, reason]) => {
      if (SECRET.has(reason)) return !ours.has(path);
      if (!wouldLeave.has(path)) return false;
      return !ours.has(path) || (reason === "ignored" && areOtherRules);
    }),
  );
}
