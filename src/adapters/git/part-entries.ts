/** Which entries of a checkpoint's tree its document names. */
import type { GitPart } from "../../domain/checkpoint.ts";

export function partEntries(part: GitPart): [name: string, oid: string | null][] {
  return [
    ["worktree", part.worktree],
    ["index", part.index],
    ["worktree.json", part.details],
    ["conflicts", part.conflicts],
    ["index.raw", part.index_raw],
    ["operation", part.operation],
  ];
}
