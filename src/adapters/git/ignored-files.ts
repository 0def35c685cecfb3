/** What git ignores and does not track, in this work tree. */
import { asBytePath, type BytePath } from "../../domain/byte-path.ts";
import type { IgnoredPaths } from "../files/backup/select-files.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import { holdsOwnPaths } from "./own-paths.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

const LIST = ["ls-files", "-z", "--others", "--ignored", "--exclude-standard", "--directory"];

/** `below`: only what is below these folders; none given: everything. */
export async function ignoredFiles(
  repository: Repository,
  below: readonly BytePath[],
): Promise<IgnoredPaths> {
  const pathspecs = below.map((path) => Buffer.from(path, "latin1").toString("utf8"));
  const { stdout } = await runGit(repository, [...LIST, "--", ...pathspecs]);
  const files: BytePath[] = [];
  const folders: BytePath[] = [];
  for (const name of stdout.toString("latin1").split("\0")) {
    if (name === "") continue;
    const path = asBytePath(name.endsWith("/") ? name.slice(0, -1) : name);
    if (holdsOwnPaths(repository, path)) continue;
    if (name.endsWith("/")) folders.push(path);
    else files.push(path);
  }
  return { files, folders: await trulyIgnored(repository, folders) };
}

/** Git also names folders that are not ignored and have nothing but ignored files in them; it names those files as well. */
async function trulyIgnored(
  repository: Repository,
  folders: readonly BytePath[],
): Promise<BytePath[]> {
  const rules = new IgnoreRules(repository);
  try {
    const ignored = await rules.ignored(folders);
    return folders.filter((folder) => ignored.has(folder));
  } finally {
    rules.close();
  }
}
