/** What refs point at, also where the object is missing. */
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

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
