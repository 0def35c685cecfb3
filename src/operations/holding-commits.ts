/** The safety checkpoints that alone hold commits of the user. */
import type { CheckpointDocument } from "../domain/checkpoint.ts";
import { Failure } from "../domain/failure.ts";
import type { Project } from "./project.ts";

/** Of several that hold the same ones it is the newest. Where git cannot tell, as in a damaged repository, each counts as such a one. */
export async function holdingCommits(
  project: Project,
  documents: readonly CheckpointDocument[],
): Promise<ReadonlySet<string>> {
  const ids = documents.filter(({ trigger }) => trigger === "pre_rollback").map(({ id }) => id);
  if (ids.length === 0) return new Set();
  try {
    return new Set((await project.holdings.commits(ids)).keys());
  } catch (error) {
    if (isGitFailure(error)) return new Set(ids);
    throw error;
  }
}

export function isGitFailure(error: unknown): boolean {
  return error instanceof Failure && error.code === "git_failed";
}
