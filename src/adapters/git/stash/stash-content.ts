/**
 * What of a checkpoint goes into the three commits of a stash entry.
 *
 * Git applies an entry by merging the tracked files and by writing the untracked ones, which must not be there. So a
 * file that the index does not have, but whose place the commit has something in, belongs to the tracked ones.
 */
import { ancestorsOf, type BytePath } from "../../../domain/byte-path.ts";
import type { GitPart } from "../../../domain/checkpoint.ts";
import { storedName } from "../../../domain/stored-name.ts";
import { unknownPaths } from "../../../domain/work-tree-details.ts";
import { findEntry } from "../find-entry.ts";
import { IndexFile } from "../index-file.ts";
import type { HeldFiles } from "../local-half.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import type { Leaf } from "../tree-builder.ts";
import { diffTrees, TreeSource, type LeafChange } from "../tree-source.ts";
import type { BlobCleaner } from "./blob-cleaner.ts";

export interface StashContent {
  readonly index: IndexFile | undefined;
  /** How tracked files differ from the index; null: deleted. */
  readonly tracked: ReadonlyMap<BytePath, Leaf | null>;
  readonly untracked: ReadonlyMap<BytePath, Leaf>;
  readonly notExact: ReadonlySet<BytePath>;
}

export async function stashContent(
  repository: Repository,
  reader: ObjectReader,
  { part, details }: HeldFiles,
  headTree: string,
  cleaner: BlobCleaner,
): Promise<StashContent> {
  const source = new TreeSource(repository, reader);
  const changes = await diffTrees({ source, oid: part.index }, { source, oid: part.worktree });
  const index = await readIndex(repository, reader, part);
  const isUnknown = unknownPaths(details.excluded);
  const content = {
    index,
    tracked: new Map<BytePath, Leaf | null>(),
    untracked: new Map<BytePath, Leaf>(),
    notExact: new Set<BytePath>(),
  };
  await cleaner.ask(changes.flatMap((change) => (isFile(change.after) ? [change.path] : [])));
  for (const change of changes) {
    const { path, before, after } = change;
    // The folder of a submodule that is missing: nothing of it is in a stash.
    if (before?.mode === "160000" && after === undefined) continue;
    if (after === undefined) {
      if (isUnknown(path) !== undefined) content.notExact.add(path);
      // Not on disk, and not meant to be: outside of a sparse checkout.
      else if (!isSparse(index, path)) content.tracked.set(path, null);
      continue;
    }
    if (!isPlainName(change)) {
      content.notExact.add(path);
      continue;
    }
    const { leaf, isExact } = await cleaner.clean(path, after, before);
    if (!isExact) content.notExact.add(path);
    if (before !== undefined) {
      content.tracked.set(path, leaf);
    } else if (await isTakenIn(source, headTree, path)) {
      content.tracked.set(path, leaf);
      // Without a staged change git takes it for one that was staged.
      if (part.index === headTree) content.notExact.add(path);
    } else {
      content.untracked.set(path, leaf);
      // Its entry in the index says that it is to be added, which no stash entry can say.
      if (index?.has(path) === true) content.notExact.add(path);
    }
  }
  return content;
}

async function readIndex(
  repository: Repository,
  reader: ObjectReader,
  part: GitPart,
): Promise<IndexFile | undefined> {
  if (part.index_raw === null) return undefined;
  return new IndexFile(await reader.readChecked(part.index_raw, "blob"), repository.hash);
}

function isFile(entry: LeafChange["after"]): boolean {
  return entry?.mode.startsWith("100") === true;
}

/** A folder of a sparse index has no entries for the files in it. */
function isSparse(index: IndexFile | undefined, path: BytePath): boolean {
  const entry = index?.find(path) ?? -1;
  return entry < 0 || index?.skipsWorkTree(entry) === true;
}

/** Git would check out no other; a checkpoint stores those under another name. */
function isPlainName({ path, after }: LeafChange): boolean {
  const names = path.split("/");
  const last = names.pop() ?? "";
  return (
    names.every((name) => storedName(name, "folder") === name) &&
    storedName(last, after?.mode === "120000" ? "link" : "file") === last
  );
}

/** The tree has this path, or a file where the path has a folder. */
async function isTakenIn(source: TreeSource, tree: string, path: BytePath): Promise<boolean> {
  if ((await findEntry(source, tree, path)) !== undefined) return true;
  for (const folder of ancestorsOf(path)) {
    const entry = await findEntry(source, tree, folder);
    if (entry !== undefined) return entry.mode !== "040000";
  }
  return false;
}
