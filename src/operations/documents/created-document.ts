/** What became of a wish for a checkpoint, as the document `checkpoint_created`. */
import { createdGrounding, nextSafeActions, restoreOrder } from "../../domain/agent-contract.ts";
import type { PartDescription } from "../../ports/part-keeper.ts";
import type { CreateResult } from "../create-request.ts";

export function createdDocument(result: CreateResult, parts: readonly PartDescription[]) {
  const { checkpoint } = result;
  const { stats } = checkpoint.git;
  const isNew = result.kind === "created";
  const state = checkpoint.parts.find((part) => part.type === "state_snapshot");
  return {
    checkpoint_created: isNew,
    unchanged: !isNew,
    checkpoint: {
      ...checkpoint,
      type: checkpoint.type ?? "git_stash",
      scope: { files: checkpoint.scope?.files ?? ["."], state_keys: state?.keys ?? [] },
      expiry: checkpoint.expires_at,
    },
    pre_mutation_state: {
      hash: checkpoint.content_hash,
      summary: [
        `${checkpoint.coverage.files} files, ${stats.staged} staged, ${stats.unstaged} modified, ` +
          `${stats.untracked} untracked, ${stats.deleted} deleted, ${stats.conflicted} conflicted`,
        ...parts.map(({ summary }) => summary),
      ].join("; "),
    },
    restore: {
      command: checkpoint.restore_command,
      order: restoreOrder(checkpoint),
      prerequisites: [...new Set(parts.flatMap(({ rollbackNeeds }) => rollbackNeeds))],
    },
    next_safe_actions: nextSafeActions(checkpoint),
    ...createdGrounding(checkpoint, isNew),
    warnings: result.warnings,
  };
}
