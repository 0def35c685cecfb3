/** Commits that one commit reaches and another does not. */
import { Failure } from "../../domain/failure.ts";
import type { Repository } from "./repository.ts";
import { runGit } from "./run-git.ts";

/** Enough to show; the count is exact up to here. */
const MOST_COMMITS = 1000;

export async function commitsOnlyIn(
  repository: Repository,
  has: string,
  hasNot: string | undefined,
): Promise<{ commit: string; subject: string }[]> {
  const args = [
    "log",
    "-z",
    "--no-show-signature",
    "--no-notes",
    `--max-count=${MOST_COMMITS}`,
    "--format=%H %s",
    has,
    ...(hasNot === undefined ? [] : ["--not", hasNot]),
    "--",
  ];
  const { exitCode, stdout } = await runGit(repository, args, { accept: [0, 128] });
  if (exitCode !== 0) throw historyLost(has);
  const lines = stdout.toString("utf8").split("\0").filter(Boolean);
  return lines.map((line) => {
    const space = line.indexOf(" ");
    return { commit: line.slice(0, space), subject: line.slice(space + 1) };
  });
}

function historyLost(commit: string): Failure {
  return new Failure(
    "checkpoint_damaged",
    `commits that lead to ${commit} are missing or damaged`,
    {
      hint: "`waymark validate` names the checkpoints that need them; --files-only and --paths restore files without them. Nothing was changed.",
    },
  );
}
