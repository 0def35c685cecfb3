/** Whether the folder is in a repository that git accepts; the other checks need one. */
import { existsSync } from "node:fs";
import { Failure } from "../../../domain/failure.ts";
import { fine, problem, warning, type Finding } from "../../../domain/health.ts";
import type { HealthCheck } from "../../../ports/health-check.ts";
import { fromRoot } from "../../files/real-path.ts";
import { hasEarlier, privateGitDir } from "../plain/private-place.ts";
import { openRepository, type Repository } from "../repository.ts";

export async function openingChecks(
  directory: string,
): Promise<{ readonly checks: HealthCheck[]; readonly repository: Repository | undefined }> {
  const check = (finding: Finding): HealthCheck[] => [
    { name: "repository", look: () => [finding] },
  ];
  try {
    const repository = await openRepository(directory);
    return { checks: check(opened(repository)), repository };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { checks: check(cannotOpen(directory, error)), repository: undefined };
  }
}

function opened(repository: Repository): Finding {
  const { workTree, gitDir, isPlain } = repository;
  if (isPlain)
    return fine(`the plain folder ${workTree}; checkpoints are in ${fromRoot(workTree, gitDir)}`);
  if (!hasEarlier(repository)) return fine(`the work tree ${workTree}`);
  return warning(
    `checkpoints from before this was a git work tree are still in ${fromRoot(workTree, privateGitDir(workTree))}`,
    "The next command that changes something moves them into the repository; `waymark recover` does it now.",
  );
}

function cannotOpen(directory: string, failure: Failure): Finding {
  const { hint } = failure;
  if (!existsSync(directory)) {
    return warning(`${failure.message}; only the machine was checked`, hint);
  }
  if (failure.code !== "not_a_repository") return problem(failure.message, hint);
  const { entry } = failure.details;
  if (entry === undefined) return warning(`${failure.message}; only the machine was checked`, hint);
  return problem(
    failure.message,
    "It contains the checkpoints: make a copy before you repair it. `waymark help recovery` describes what can be recovered.",
  );
}
