/** What a rollback did, in a few lines for models. */
import { rollbackWarnings } from "../../operations/documents/rollback-document.ts";
import type { RollbackPlan } from "../../operations/plan-rollback.ts";
import type { NothingDiffers, RollbackResult } from "../../operations/roll-back.ts";
import type { TakeBackPlan } from "../../operations/selective/plan-take-back.ts";

/** `takenBack`: it was the work of one session. */
export function rolledBackLines(
  result: RollbackResult | NothingDiffers,
  takenBack?: TakeBackPlan,
): string[] {
  if (result.kind === "nothing_differs") {
    return [
      `Nothing differs from ${result.plan.target.id}: nothing was changed, and no checkpoint was created.`,
    ];
  }
  const { plan, safety, kind, verification, foreign } = result;
  const back = kind === "undo" ? "redo" : "undo";
  const but = verification.match ? "" : ", except files that other programs wrote meanwhile";
  const kept =
    plan.files.keep.length +
    foreign.length +
    result.keptParts.length +
    (takenBack?.kept.length ?? 0);
  return [
    takenBack === undefined
      ? `${kind} done: ${whatIsBack(plan)} ${plan.target.id} again${but}.`
      : `undone: what ${takenBack.worker.id} did since ${takenBack.since.id}${but}; changes of others are kept.`,
    `files: ${filesText(plan)}, ${kept} kept`,
    ...otherParts(plan),
    ...(plan.leaving.length === 0
      ? []
      : [`commits dropped from a branch: ${plan.leaving.length}; they are in ${safety.id}`]),
    `The state before is in the safety checkpoint ${safety.id}; the tool \`${back}\` restores it.`,
    "Files that you read before may be different now: read them again.",
    ...rollbackWarnings(result).map((warning) => `warning: ${warning}`),
  ];
}

/** A rollback of some files, or one that leaves the branch, does not make the project equal the checkpoint. */
function whatIsBack({ isPartial, scope }: RollbackPlan): string {
  return isPartial || scope.keepHead ? "what you asked for is as in" : "the project equals";
}

/** With copied files: whoever reads it does not care from where a file came back. */
function filesText({ files: { write, remove, mode }, parts }: RollbackPlan): string {
  const copied = parts
    .filter(({ part }) => part.type === "file_backup")
    .flatMap(({ preview }) => preview.changes);
  const count = (...operations: readonly string[]): number =>
    copied.filter(({ operation }) => operations.includes(operation)).length;
  return [
    `${write.length + count("restored", "changed_back")} restored`,
    `${remove.length + count("removed")} removed`,
    `${mode.length + count("mode_changed_back")} with earlier permissions`,
  ].join(", ");
}

function otherParts({ parts }: RollbackPlan): string[] {
  return parts
    .filter(({ part }) => part.type !== "file_backup")
    .flatMap(({ preview }) => preview.changes.map(({ what, summary }) => `${what}: ${summary}`));
}
