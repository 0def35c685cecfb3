/** What a rollback did, in a few lines for models. */
import { rollbackWarnings } from "../../operations/documents/rollback-document.ts";
import type { RollbackResult } from "../../operations/roll-back.ts";

export function rolledBackLines(result: RollbackResult): string[] {
  const { plan, safety, kind, verification, foreign } = result;
  const { write, remove, mode, keep } = plan.files;
  const back = kind === "undo" ? "redo" : "undo";
  return [
    `${kind} done: the project equals ${plan.target.id} again${verification.match ? "" : ", but for what others wrote meanwhile"}.`,
    `files: ${write.length} restored, ${remove.length} removed, ${mode.length} with earlier permissions, ${keep.length + foreign.length} kept`,
    ...(plan.leaving.length === 0
      ? []
      : [`commits that left a branch: ${plan.leaving.length}; they are in ${safety.id}`]),
    `The state before is in the safety checkpoint ${safety.id}; the tool \`${back}\` brings it back.`,
    "Files that you read before may be different now: read them again.",
    ...rollbackWarnings(result).map((warning) => `warning: ${warning}`),
  ];
}
