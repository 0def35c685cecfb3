/** Ignore rules as they are at a checkpoint: its .gitignore files in a private folder, and git to read them. */
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { ancestorsOf, joinPath, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { onDisk, rootFolder } from "../files/byte-names.ts";
import { uniqueName } from "../files/durable-write.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { TreeLookup } from "./find-entry.ts";
import type { TreeSource } from "./tree-source.ts";

export async function ignoredAtTarget(
  repository: Repository,
  reader: ObjectReader,
  source: TreeSource,
  worktree: string,
  paths: readonly BytePath[],
): Promise<Set<BytePath>> {
  if (paths.length === 0) return new Set();
  const folder = join(repository.privateDir, "tmp", `rules-${uniqueName()}`);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const rules = new IgnoreRules({
    directory: folder,
    gitDir: repository.gitDir,
    workTree: folder,
  });
  try {
    const folders = new Set<BytePath>([ROOT, ...paths.flatMap((path) => ancestorsOf(path))]);
    const lookup = new TreeLookup(source, worktree);
    for (const above of folders) {
      const path = joinPath(above, ".gitignore");
      const entry = await lookup.find(path);
      if (entry === undefined || !entry.mode.startsWith("100")) continue;
      const file = onDisk(rootFolder(folder), path);
      mkdirSync(file.subarray(0, file.lastIndexOf("/")), { recursive: true });
      writeFileSync(file, await reader.readChecked(entry.oid, "blob"));
    }
    return await rules.ignored(paths);
  } finally {
    rules.close();
    rmSync(folder, { recursive: true, force: true });
  }
}
