/** The repository's configuration, read once. */
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

export interface GitSettings {
  /** Section and key in lower case, as git prints them; the last value wins. */
  get(name: string): string | undefined;
}

export async function readSettings(repository: Repository): Promise<GitSettings> {
  const { stdout } = await runGit(repository, ["config", "--list", "-z", "--includes"]);
  const values = new Map<string, string>();
  for (const item of stdout.toString("utf8").split("\0")) {
    const line = item.indexOf("\n");
    if (line < 0) values.set(item, "true");
    else values.set(item.slice(0, line), item.slice(line + 1));
  }
  return { get: (name) => values.get(name) };
}
