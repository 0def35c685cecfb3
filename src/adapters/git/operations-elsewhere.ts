/**
 * Branches that an operation in another work tree will move or go back to. Git calls HEAD detached meanwhile, so
 * `git worktree list` does not name them; `git checkout` and `git branch -f` refuse them by these files.
 */
import { existsSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

export interface OperationElsewhere {
  /** Undefined for the main work tree: its git folder does not say where it is. */
  readonly folder: string | undefined;
  readonly use: "rebased" | "bisected";
}

export function operationElsewhere(
  { gitDir, commonDir }: Pick<Repository, "gitDir" | "commonDir">,
  ref: string,
): OperationElsewhere | undefined {
  const own = gitDir === commonDir ? undefined : basename(gitDir);
  const linked = namesIn(join(commonDir, "worktrees")).filter((name) => name !== own);
  const others = linked.map((name) => join(commonDir, "worktrees", name));
  for (const other of own === undefined ? others : [commonDir, ...others]) {
    const use = useIn(other, ref);
    if (use !== undefined) return { use, folder: other === commonDir ? undefined : placeOf(other) };
  }
  return undefined;
}

function useIn(gitDir: string, ref: string): OperationElsewhere["use"] | undefined {
  const rebased = [
    textOf(join(gitDir, "rebase-merge", "head-name")),
    textOf(join(gitDir, "rebase-apply", "head-name")),
    // Of `rebase --update-refs`: three lines for each branch, the first one is its name.
    textOf(join(gitDir, "rebase-merge", "update-refs")),
  ];
  if (rebased.some((text) => text.split("\n").includes(ref))) return "rebased";
  // Without its prefix, or the commit where HEAD was detached.
  const start = textOf(join(gitDir, "BISECT_START")).trim();
  const isBisecting = start !== "" && existsSync(join(gitDir, "BISECT_LOG"));
  return isBisecting && [start, `refs/heads/${start}`].includes(ref) ? "bisected" : undefined;
}

/** The file names `.git` in the work tree. */
function placeOf(gitDir: string): string {
  const place = textOf(join(gitDir, "gitdir")).trimEnd();
  return place === "" ? gitDir : dirname(place);
}

function textOf(path: string): string {
  try {
    return readRegular(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return "";
    throw error;
  }
}
