/** The repository's configuration, read once. */
import type { GitSetting } from "../../domain/git-advice.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";
import { rememberUserName } from "./user-name.ts";

export interface GitSettings {
  /** Section and key in lower case, as git prints them; the last value wins. */
  get(name: string): string | undefined;
}

export async function readSettings(repository: Repository): Promise<GitSettings> {
  const values = new Map(await listSettings(repository));
  rememberUserName(repository, values.get("user.name"));
  return { get: (name) => values.get(name) };
}

/** All of them in order; a name may be there several times. */
export async function listSettings(repository: Repository): Promise<GitSetting[]> {
  const { stdout } = await runGit(repository, ["config", "--list", "-z", "--includes"]);
  const settings: GitSetting[] = [];
  for (const item of stdout.toString("utf8").split("\0")) {
    if (item === "") continue;
    const line = item.indexOf("\n");
    settings.push(line < 0 ? [item, "true"] : [item.slice(0, line), item.slice(line + 1)]);
  }
  return settings;
}
