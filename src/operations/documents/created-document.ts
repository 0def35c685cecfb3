/** What became of a wish for a checkpoint, as the document `checkpoint_created`. */
import { createdGrounding, nextSafeActions, restoreOrder } from "../../domain/agent-contract.ts";
import { isPlain, typeOf } from "../../domain/checkpoint.ts";
import type { CreateResult } from "../create-request.ts";
import { describeParts } from "../part-work.ts";
import type { Project } from "../project.ts";
import { scopeDocument } from "./scope-document.ts";

const LATER_COMMITS =
  "commits made after the checkpoint are dropped from the branch; they are kept in the safety checkpoint of the rollback, and `waymark undo` restores them";

export async function createdDocument(project: Project, result: CreateResult) {
  const { checkpoint } = result;
  const parts = await describeParts(project, checkpoint);
  const scope = await scopeDocument(project, checkpoint);
  const { stats } = checkpoint.git;
  const held = checkpoint.coverage.files;
  const isNew = result.kind === "created";
  return {
    checkpoint_created: isNew,
    unchanged: !isNew,
    checkpoint: {
      ...checkpoint,
      type: typeOf(checkpoint),
      scope,
      expiry: checkpoint.expires_at,
    },
    pre_mutation_state: {
      hash: checkpoint.content_hash,
      summary: [
        `${held} ${held === 1 ? "file" : "files"}, ${stats.staged} staged, ${stats.unstaged} modified, ` +
          `${stats.untracked} untracked, ${stats.deleted} deleted, ${stats.conflicted} conflicted`,
        ...parts.map(({ summary }) => summary),
      ].join("; "),
    },
    restore: {
      command: checkpoint.restore_command,
      order: restoreOrder(checkpoint),
      prerequisites: [
        ...(isPlain(checkpoint.git) || scope.patterns !== null ? [] : [LATER_COMMITS]),
        ...new Set(parts.flatMap(({ rollbackNeeds }) => rollbackNeeds)),
      ],
    },
    next_safe_actions: nextSafeActions(checkpoint),
    ...createdGrounding(checkpoint, isNew, project.git),
    warnings: result.warnings,
  };
}
