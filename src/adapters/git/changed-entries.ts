/** Which tracked files may differ from the index: `git diff-files`, by stat data alone. */
import { utimesSync } from "node:fs";
import type { BytePath } from "../../domain/byte-path.ts";
import { withIndexCopy, type IndexSnapshot } from "./index-snapshot.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

const ARGS = [
  "diff-files",
  "-z",
  "--raw",
  "--no-renames",
  "--no-ext-diff",
  "--ignore-submodules=all",
];

/** Git compares whole seconds, so a copy of this very second would still be racy. */
const AHEAD_SECONDS = 10;

export interface ChangedEntries {
  readonly paths: Set<BytePath>;
  /** False: git could not look at some files, and does not name them. */
  readonly isComplete: boolean;
}

/**
 * Paths whose stat data differs from the index's, plus the racy ones. Whatever is not named here has on disk exactly
 * the stat data of its index entry.
 *
 * Git reads the content of racy entries (changed in the second in which the index was written), and would run the
 * repository's filters for that. So with such entries git looks at a newer copy of the index, where nothing is racy,
 * and the racy ones are read by us.
 */
export async function changedEntries(
  repository: Repository,
  snapshot: IndexSnapshot,
): Promise<ChangedEntries> {
  const { index } = snapshot;
  if (index === undefined) return { paths: new Set(), isComplete: true };
  const racy = racyPaths(snapshot);
  const compare = async (env: Readonly<Record<string, string>>): Promise<ChangedEntries> => {
    const { stdout, stderr } = await runGit(repository, ARGS, { env });
    return { paths: parseRaw(stdout), isComplete: stderr === "" };
  };
  if (racy.length === 0) return compare({});
  const changed = await withIndexCopy(repository, (copy) => {
    const newest = Math.max(Date.now() / 1000, index.newestSecond) + AHEAD_SECONDS;
    utimesSync(copy, newest, newest);
    return compare({ GIT_INDEX_FILE: copy });
  });
  for (const path of racy) changed.paths.add(path);
  return changed;
}

function racyPaths(snapshot: IndexSnapshot): BytePath[] {
  const { index } = snapshot;
  if (index === undefined) return [];
  const writtenAt = Number(snapshot.mtimeNs / 1_000_000_000n) >>> 0;
  // On FAT time stamps are two seconds apart, and the index may be on another disk.
  return index
    .changedSince(writtenAt - 1)
    .filter((entry) => index.changedSecond(entry) >= writtenAt || index.isCoarse(entry))
    .map((entry) => index.path(entry));
}

/** `:100644 100644 <oid> <oid> M` NUL path NUL … */
function parseRaw(output: Buffer): Set<BytePath> {
  const fields = output.toString("latin1").split("\0");
  const paths = new Set<BytePath>();
  for (let at = 1; at < fields.length; at += 2) paths.add(fields[at] as BytePath);
  return paths;
}
