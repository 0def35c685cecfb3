/** What became of a wish for a checkpoint, as the document `checkpoint_created`. */
import { createdGrounding, nextSafeActions, restoreOrder } from "../../domain/agent-contract.ts";
import { extraPartsOf, isPlain, typeOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { showPath } from "../../domain/byte-path.ts";
import { decodeManifest, MANIFEST_ENTRY } from "../../domain/file-backup.ts";
import type { CreateResult } from "../create-request.ts";
import { describeParts } from "../part-work.ts";
import type { Project } from "../project.ts";

const LATER_COMMITS =
  "commits made after the checkpoint are dropped from the branch; they are kept in the safety checkpoint of the rollback, and `waymark undo` restores them";

/** Longer lists of files are cut. */
const MAX_LISTED = 1000;

export async function createdDocument(project: Project, result: CreateResult) {
  const { checkpoint } = result;
  const parts = await describeParts(project, checkpoint);
  const files = await scopeFiles(project, checkpoint);
  const patterns = checkpoint.scope?.files ?? null;
  const { stats } = checkpoint.git;
  const held = checkpoint.coverage.files;
  const isNew = result.kind === "created";
  const state = checkpoint.parts.find((part) => part.type === "state_snapshot");
  return {
    checkpoint_created: isNew,
    unchanged: !isNew,
    checkpoint: {
      ...checkpoint,
      type: typeOf(checkpoint),
      scope: {
        files: files.slice(0, MAX_LISTED),
        files_total: files.length,
        patterns,
        state_keys: state?.keys ?? [],
      },
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
        ...(isPlain(checkpoint.git) || patterns !== null ? [] : [LATER_COMMITS]),
        ...new Set(parts.flatMap(({ rollbackNeeds }) => rollbackNeeds)),
      ],
    },
    next_safe_actions: nextSafeActions(checkpoint),
    ...createdGrounding(checkpoint, isNew),
    warnings: result.warnings,
  };
}

/** Everything in the project is its root; what a scope names is listed, copied files too. */
async function scopeFiles(project: Project, checkpoint: CheckpointDocument): Promise<string[]> {
  if ((checkpoint.scope?.files ?? null) === null) return ["."];
  const held = await project.workTree.filesInScope(checkpoint);
  const hasCopies = extraPartsOf(checkpoint).some(({ type }) => type === "file_backup");
  const copies = hasCopies ? await copiedFiles(project, checkpoint) : [];
  return [...new Set([...held.map(showPath), ...copies])].toSorted();
}

async function copiedFiles(project: Project, { id }: CheckpointDocument): Promise<string[]> {
  const text = await project.checkpoints.entry(id, MANIFEST_ENTRY);
  const manifest = decodeManifest(text.toString("utf8"), false);
  return typeof manifest === "string" ? [] : manifest.entries.map(({ path }) => showPath(path));
}
