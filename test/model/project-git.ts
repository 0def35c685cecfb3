/** Git as the user runs it: on the project's own repository, or on Waymark's in a plain folder. */
import { type CommandResult } from "../support/run-command.ts";
import { type TempRepository } from "../support/temp-repository.ts";

export async function gitOfProject(
  repo: TempRepository,
  ...args: readonly string[]
): Promise<CommandResult> {
  const isRepository = (await repo.tryGit(["rev-parse", "--git-dir"])).code === 0;
  return await repo.tryGit([...(isRepository ? [] : [`--git-dir=${repo.storeDir}`]), ...args]);
}
