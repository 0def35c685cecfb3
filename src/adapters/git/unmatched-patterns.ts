/** Which patterns of a scope match nothing, and what was probably meant. */
import { lstatSync } from "node:fs";
import { ancestorsOf, asBytePath, showPath, type BytePath } from "../../domain/byte-path.ts";
import { DEFAULT_POLICY } from "../../domain/capture-policy.ts";
import { nearestName } from "../../domain/nearest-name.ts";
import { exactPath, fixedFolder, pathMatcher } from "../../domain/path-pattern.ts";
import { insidePatterns } from "../../domain/scope.ts";
import type { UnmatchedPattern } from "../../ports/work-tree.ts";
import { selectFiles, withoutLinks } from "../files/backup/select-files.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

/** Names beyond this are not compared with a typing error. */
const MOST_NAMES = 20_000;

export async function unmatchedPatterns(
  repository: Repository,
  scope: readonly string[],
): Promise<UnmatchedPattern[]> {
  const outside = scope.filter((text) => text.startsWith("/"));
  const inside = scope.filter((text) => !text.startsWith("/"));
  const unmatched: UnmatchedPattern[] = [];
  for (const pattern of outside) {
    if (!(await matchesOutside(repository, pattern))) {
      unmatched.push({ pattern, nearest: undefined });
    }
  }
  if (inside.length > 0) unmatched.push(...(await unmatchedInside(repository, inside)));
  return scope.flatMap((text) => unmatched.filter(({ pattern }) => pattern === text));
}

async function unmatchedInside(
  repository: Repository,
  patterns: readonly string[],
): Promise<UnmatchedPattern[]> {
  const folders = patterns.map(fixedFolder);
  const first = await filesBelow(repository, folders.includes("") ? [] : folders);
  const missing = patterns.filter((pattern) => {
    const matches = pathMatcher(insidePatterns([pattern]));
    return !first.some((path) => matches(path, false)) && !isFolder(repository, pattern);
  });
  if (missing.length === 0) return [];
  const all = (await filesBelow(repository, [])).slice(0, MOST_NAMES);
  const names = [...new Set(all.flatMap((path) => [path, ...ancestorsOf(path)]))].map(showPath);
  return missing.map((pattern) => ({ pattern, nearest: nearestName(pattern, names) }));
}

/** Tracked, untracked and ignored ones. */
async function filesBelow(repository: Repository, folders: readonly string[]): Promise<BytePath[]> {
  const args = ["ls-files", "-z", "--cached", "--others", "--", ...folders];
  const { stdout } = await runGit(repository, args);
  return stdout.toString("latin1").split("\0").filter(Boolean).map(asBytePath);
}

/** Also one with nothing in it. */
function isFolder({ workTree }: Repository, pattern: string): boolean {
  const path = exactPath(`/${pattern.replace(/\/$/, "")}`);
  if (path === undefined) return false;
  return lstatSync(`${workTree}/${path}`, { throwIfNoEntry: false })?.isDirectory() === true;
}

async function matchesOutside(repository: Repository, pattern: string): Promise<boolean> {
  const found = await selectFiles(
    {
      root: repository.workTree,
      policy: DEFAULT_POLICY,
      ignored: () => Promise.resolve({ files: [], folders: [] }),
      isSecret: () => undefined,
      foldsCase: false,
    },
    { patterns: [], outside: [withoutLinks(pattern)], includeSecrets: [] },
  );
  return found.files.length + found.emptyFolders.size + found.leftOut.length > 0;
}
