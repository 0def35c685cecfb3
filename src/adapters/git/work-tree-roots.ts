/** The folders of the other work trees of a repository: they share its checkpoints, and each has copied files of its own. */
import { basename, dirname, join } from "node:path";
import { isMissing } from "../files/errors.ts";
import { namesIn } from "../files/names-in.ts";
import { readRegular } from "../files/regular-file.ts";
import type { Repository } from "./repository.ts";

export function otherWorkTrees({ commonDir, workTree }: Repository): string[] {
  const linked = namesIn(join(commonDir, "worktrees")).flatMap((name) => {
    const place = readIfThere(join(commonDir, "worktrees", name, "gitdir"));
    return place === undefined ? [] : [dirname(place.trimEnd())];
  });
  const main = basename(commonDir) === ".git" ? [dirname(commonDir)] : [];
  return [...main, ...linked].filter((root) => root !== workTree);
}

function readIfThere(path: string): string | undefined {
  try {
    return readRegular(path, "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
}
