/** The digest of everything that a checkpoint holds, as anybody can compute it again with git and sha256sum. */
import { sha256 } from "./sha256.ts";
import { compareEntries, type TreeEntry } from "./tree-object.ts";

/** Those of a checkpoint's tree that hold content; docs/storage-format.md has the command. */
export const CONTENT_ENTRIES: readonly string[] = [
  "conflicts",
  "database",
  "files",
  "index",
  "outputs.json",
  "outputs.source",
  "state.json",
  "state.source",
  "worktree",
];

/** Those of them that are the work tree's own. */
export const WORK_TREE_ENTRIES = ["conflicts", "index", "worktree"] as const;

/** True for an entry of what is held beside the work tree. */
export function isOfOtherParts(name: string): boolean {
  const own: readonly string[] = WORK_TREE_ENTRIES;
  return CONTENT_ENTRIES.includes(name) && !own.includes(name);
}

/** Of what `git ls-tree <ref> -- <content entries>` prints. `worktree`: the tree of all files, where `root` has them without the withheld ones. */
export function contentHashOf(root: readonly TreeEntry[], worktree?: string): string {
  const lines = root
    .filter(({ name }) => CONTENT_ENTRIES.includes(name))
    .map((entry) =>
      entry.name === "worktree" && worktree !== undefined ? { ...entry, oid: worktree } : entry,
    )
    .toSorted(compareEntries)
    .map(({ mode, oid, name }) => {
      const type = mode === "040000" ? "tree" : "blob";
      return `${mode} ${type} ${oid}\t${name}\n`;
    });
  return `sha256:${sha256(lines.join(""))}`;
}
