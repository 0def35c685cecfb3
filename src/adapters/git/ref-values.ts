/** What refs point at, also where the object is missing. */
import { readRefs } from "./read-refs.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

/** Object ids by the names of the refs below these folders; from git where only git can tell. Those of a work tree are in its own git folder. */
export async function refsBelow(
  repository: Repository,
  folders: readonly string[],
  gitDir = repository.commonDir,
): Promise<Map<string, string>> {
  const found = folders.map((folder) => readRefs({ commonDir: gitDir }, folder));
  const known = found.flatMap((refs) => (refs === undefined ? [] : [refs]));
  return known.length === folders.length
    ? new Map(known.flatMap((refs) => [...refs]))
    : refValues(repository, ...folders);
}

/** Refs by full name, of these names and below these folders. */
export async function refValues(
  repository: Repository,
  ...patterns: readonly string[]
): Promise<Map<string, string>> {
  const { stdout } = await runGit(repository, [
    "for-each-ref",
    "--format=%(objectname) %(refname)",
    ...patterns,
  ]);
  const lines = stdout.toString("utf8").split("\n").filter(Boolean);
  return new Map(
    lines.map((line) => {
      const space = line.indexOf(" ");
      return [line.slice(space + 1), line.slice(0, space)];
    }),
  );
}
