/** Whether the folder is in a repository that git accepts; the other checks need one. */
import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { Failure } from "../../../domain/failure.ts";
import { fine, problem, warning, type Finding } from "../../../domain/health.ts";
import type { HealthCheck } from "../../../ports/health-check.ts";
import { openRepository, type Repository } from "../repository.ts";

export async function openingChecks(
  directory: string,
): Promise<{ readonly checks: HealthCheck[]; readonly repository: Repository | undefined }> {
  const check = (finding: Finding): HealthCheck[] => [
    { name: "repository", look: () => [finding] },
  ];
  try {
    const repository = await openRepository(directory);
    return { checks: check(fine(`the work tree ${repository.workTree}`)), repository };
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    return { checks: check(cannotOpen(directory, error)), repository: undefined };
  }
}

function cannotOpen(directory: string, failure: Failure): Finding {
  const hint = failure.hint ?? "Only the machine was checked.";
  if (failure.code !== "not_a_repository") return problem(failure.message, hint);
  const found = gitEntryAbove(directory);
  if (found === undefined) return warning(`${failure.message}; only the machine was checked`, hint);
  const { git } = failure.details;
  const said = typeof git === "string" && git !== "" ? `: ${git}` : "";
  return problem(
    `git does not accept ${found} as a repository${said}`,
    "Checkpoints are objects in there: make a copy of it before you repair it. docs/recovery.md says what can be saved.",
  );
}

function gitEntryAbove(directory: string): string | undefined {
  for (let folder = resolve(directory); ; folder = dirname(folder)) {
    if (existsSync(join(folder, ".git"))) return join(folder, ".git");
    if (folder === dirname(folder)) return undefined;
  }
}
