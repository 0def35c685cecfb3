/** What is special about a project: everything that a first look at it should tell. Changes nothing. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { DEFAULT_POLICY, withoutLimits } from "../../../domain/capture-policy.ts";
import { KNOWN_AGENTS, KNOWN_WORKFLOWS, toolsFound } from "../../../domain/known-tools.ts";
import type { DetectedProject } from "../../../ports/project-setup.ts";
import { namesIn } from "../../files/names-in.ts";
import { statOf } from "../../files/file-stat.ts";
import { fromRoot } from "../../files/real-path.ts";
import { GitWorkTree } from "../git-work-tree.ts";
import { gitVersion } from "../git-version.ts";
import type { IndexFile } from "../index-file.ts";
import { readIndex } from "../index-snapshot.ts";
import type { ObjectReader } from "../object-reader.ts";
import type { Repository } from "../repository.ts";
import { runGit } from "../run-git.ts";
import { readSettings } from "../settings.ts";

export async function detectProject(
  repository: Repository,
  reader: ObjectReader,
): Promise<DetectedProject> {
  const settings = await readSettings(repository);
  const { index } = await readIndex(repository);
  const capture = await new GitWorkTree(repository, reader).capture({
    policy: withoutLimits(DEFAULT_POLICY),
  });
  try {
    const { excluded } = capture.details;
    const isThere = (path: string): boolean =>
      statOf(join(repository.workTree, path)) !== undefined;
    const left = (reason: string): string[] =>
      excluded.filter((each) => each.reason === reason).map(({ path }) => path);
    return {
      gitVersion: await gitVersion(),
      workTree: repository.workTree,
      isPlain: repository.isPlain,
      storedIn: fromRoot(repository.workTree, repository.gitDir),
      branch: capture.git.branch,
      isLinkedWorkTree: repository.gitDir !== repository.commonDir,
      workTrees: 1 + namesIn(join(repository.commonDir, "worktrees")).length,
      trackedFiles: index?.length ?? 0,
      untrackedFiles: capture.git.stats.untracked,
      bytes: capture.coverage.bytes,
      submodules: left("submodule"),
      nestedRepositories: left("nested_repository"),
      filters: await filtersOf(repository, index),
      isSparse: settings.get("core.sparsecheckout") === "true",
      isPartialClone: settings.get("extensions.partialclone") !== undefined,
      isShallow: existsSync(join(repository.commonDir, "shallow")),
      agents: toolsFound(KNOWN_AGENTS, isThere),
      workflows: toolsFound(KNOWN_WORKFLOWS, isThere),
    };
  } finally {
    capture.discard();
  }
}

async function filtersOf(
  repository: Repository,
  index: IndexFile | undefined,
): Promise<Record<string, number>> {
  const found: Record<string, number> = {};
  if (index === undefined || index.length === 0) return found;
  const paths = Array.from({ length: index.length }, (_, entry) => index.path(entry));
  const { stdout } = await runGit(repository, ["check-attr", "-z", "--stdin", "filter"], {
    input: Buffer.from(`${paths.join("\0")}\0`, "latin1"),
  });
  const fields = stdout.toString("latin1").split("\0");
  for (let at = 2; at < fields.length; at += 3) {
    const driver = fields[at] ?? "";
    if (driver === "unspecified" || driver === "unset") continue;
    found[driver] = (found[driver] ?? 0) + 1;
  }
  return found;
}
