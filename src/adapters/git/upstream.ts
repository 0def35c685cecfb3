/** How many commits the branch is ahead of the one it follows. */
import type { Head } from "./head.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import type { GitSettings } from "./settings.ts";

/** Null where the branch follows nothing. */
export async function aheadOfUpstream(
  repository: Repository,
  head: Head,
  settings: GitSettings,
): Promise<number | null> {
  const name = head.branch?.replace(/^refs\/heads\//, "");
  if (name === undefined || head.commit === undefined) return null;
  if (settings.get(`branch.${name}.merge`) === undefined) return null;
  const result = await runGit(repository, ["rev-list", "--count", "@{upstream}..HEAD"], {
    accept: [0, 128],
  });
  return result.exitCode === 0 ? Number(result.stdout.toString("utf8").trim()) : null;
}
