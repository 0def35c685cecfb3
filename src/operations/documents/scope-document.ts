/** What a checkpoint is limited to, as documents print it: `files` are files, `patterns` what `--scope` named. */
import { showPath } from "../../domain/byte-path.ts";
import { extraPartsOf, type CheckpointDocument } from "../../domain/checkpoint.ts";
import { decodeManifest, MANIFEST_ENTRY } from "../../domain/file-backup.ts";
import type { Project } from "../project.ts";

export interface ScopeDocument {
  readonly files: readonly string[];
  readonly files_total: number;
  /** Null: all of the project. */
  readonly patterns: readonly string[] | null;
  /** Empty: all of the state. */
  readonly state_keys: readonly string[];
}

/** Longer lists of files are cut. */
const MAX_LISTED = 1000;

export async function scopeDocument(
  project: Project,
  checkpoint: CheckpointDocument,
): Promise<ScopeDocument> {
  const files = await scopeFiles(project, checkpoint);
  const state = checkpoint.parts.find((part) => part.type === "state_snapshot");
  return {
    files: files.slice(0, MAX_LISTED),
    files_total: files.length,
    patterns: checkpoint.scope?.files ?? null,
    state_keys: state?.keys ?? [],
  };
}

/** The same where many are listed, without the files: these have to be read. */
export function withListedScope({ scope, ...rest }: CheckpointDocument): Record<string, unknown> {
  if (scope === undefined) return rest;
  return { ...rest, scope: { patterns: scope.files, state_keys: scope.state_keys ?? [] } };
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
