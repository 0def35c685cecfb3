/**
 * Ignore rules as they are at a checkpoint: its .gitignore files in a private folder, and git to read them. Those out of its scope it
 * does not hold: there the rules of now count.
 */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { makeFolders } from "../files/make-folders.ts";
import { ancestorsOf, joinPath, ROOT, type BytePath } from "../../domain/byte-path.ts";
import { onDisk, rootFolder } from "../files/byte-names.ts";
import { uniqueName } from "../files/durable-write.ts";
import { statOf } from "../files/file-stat.ts";
import { scratchFolder } from "../files/scratch-folder.ts";
import { IgnoreRules } from "./ignore-rules.ts";
import type { ObjectReader } from "./object-reader.ts";
import type { Repository } from "./repository.ts";
import { TreeLookup } from "./find-entry.ts";
import type { TreeSource } from "./tree-source.ts";

export interface TargetRules {
  readonly source: TreeSource;
  readonly worktree: string;
  /** Whether the checkpoint holds such a file, if there was one. */
  readonly isHeld: (rules: BytePath) => boolean;
}

export async function ignoredAtTarget(
  repository: Repository,
  reader: ObjectReader,
  { source, worktree, isHeld }: TargetRules,
  paths: readonly BytePath[],
): Promise<Set<BytePath>> {
  if (paths.length === 0) return new Set();
  const folder = join(scratchFolder(join(repository.privateDir, "tmp")), `rules-${uniqueName()}`);
  makeFolders(folder, 0o700);
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
      const content = isHeld(path)
        ? await heldRules(reader, lookup, path)
        : rulesOnDisk(repository.workTree, path);
      if (content === undefined) continue;
      const file = onDisk(rootFolder(folder), path);
      mkdirSync(file.subarray(0, file.lastIndexOf("/")), { recursive: true });
      writeFileSync(file, content);
    }
    return await rules.ignored(paths);
  } finally {
    rules.close();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function heldRules(
  reader: ObjectReader,
  lookup: TreeLookup,
  path: BytePath,
): Promise<Buffer | undefined> {
  const entry = await lookup.find(path);
  return entry?.mode.startsWith("100") === true
    ? await reader.readChecked(entry.oid, "blob")
    : undefined;
}

/** Git follows no link to them either. */
function rulesOnDisk(root: string, path: BytePath): Buffer | undefined {
  const file = onDisk(rootFolder(root), path);
  return statOf(file)?.isFile() === true ? readFileSync(file) : undefined;
}
