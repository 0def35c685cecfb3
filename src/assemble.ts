/** Everything that stands behind a project's ports, put together. */
import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { policyOf, withoutLimits } from "./domain/capture-policy.ts";
import { configFailure, resolveConfig, type ResolvedConfig } from "./domain/config-resolution.ts";
import { NEVER_INTERRUPTED } from "./ports/interruption.ts";
import { SILENT } from "./ports/progress.ts";
import { readConfigFiles } from "./adapters/files/config-files.ts";
import { GitBranches } from "./adapters/git/git-branches.ts";
import { GitCheckpointStore } from "./adapters/git/git-checkpoint-store.ts";
import { GitDiffer } from "./adapters/git/git-differ.ts";
import { GitCleanupLog } from "./adapters/git/git-cleanup-log.ts";
import { GitHoldings } from "./adapters/git/git-holdings.ts";
import { GitLatestHint } from "./adapters/git/git-latest-hint.ts";
import { GitNotes } from "./adapters/git/git-notes.ts";
import { GitSessionStore } from "./adapters/git/git-session-store.ts";
import { GitWorkTree } from "./adapters/git/git-work-tree.ts";
import { ObjectReader } from "./adapters/git/object-reader.ts";
import { sweepQuarantine } from "./adapters/git/quarantine.ts";
import type { Repository } from "./adapters/git/repository.ts";
import { sweepAside } from "./adapters/git/restore/aside.ts";
import { GitRestorer } from "./adapters/git/restore/git-restorer.ts";
import { GitStashes } from "./adapters/git/stash/git-stashes.ts";
import { sha256 } from "./adapters/git/sha256.ts";
import { sweepTemporary } from "./adapters/git/sweep-temporary.ts";
import type { Project } from "./operations/project.ts";
import type { OpenOptions } from "./app.ts";

export async function projectOf(repository: Repository, options: OpenOptions): Promise<Project> {
  const { config, problems, warnings } = await loadConfig(repository);
  if (problems.length > 0 && options.onBadConfig !== "warn") throw configFailure(problems);
  for (const warning of warnings) options.warn?.(warning);
  for (const { message } of problems) options.warn?.(`${message}; the default is used`);
  const policy = problems.length > 0 ? withoutLimits(policyOf(config)) : policyOf(config);
  const reader = new ObjectReader(repository);
  return {
    workTree: new GitWorkTree(repository, reader, options.progress),
    checkpoints: new GitCheckpointStore(repository, reader, { tags: config.git.tags }),
    sessions: new GitSessionStore(repository, reader),
    restorer: new GitRestorer(repository, reader),
    branches: new GitBranches(repository, reader),
    differ: new GitDiffer(repository),
    holdings: new GitHoldings(repository),
    cleanupLog: new GitCleanupLog(repository),
    stashes: new GitStashes(repository, reader),
    notes: new GitNotes(repository),
    archives: async () => {
      const { GitArchives } = await import("./adapters/git/archive/git-archives.ts");
      return new GitArchives(repository);
    },
    rebuilder: async () => {
      const { GitRebuilder } = await import("./adapters/git/rebuild/git-rebuilder.ts");
      return new GitRebuilder(repository, reader);
    },
    latestHint: new GitLatestHint(repository),
    clock: { now: () => new Date(), fourDigits: () => randomBytes(2).toString("hex") },
    sha256,
    policy: { ...policy, ...options.policy },
    config,
    progress: options.progress ?? SILENT,
    interruption: options.interruption ?? NEVER_INTERRUPTED,
    actor: {
      user: userName(),
      host: hostname(),
      pid: process.pid,
      agent: options.agent?.agent ?? null,
      agent_session_id: options.agent?.agent_session_id ?? null,
      tool_use_id: options.agent?.tool_use_id ?? null,
    },
    sweep: () => {
      sweepQuarantine(repository);
      sweepTemporary(repository);
      sweepAside(repository);
    },
    close: () => reader.close(),
  };
}

export async function loadConfig(repository: Repository): Promise<ResolvedConfig> {
  const cache = join(repository.privateDir, "config-cache.json");
  const layers = await readConfigFiles(repository.workTree, cache);
  return resolveConfig(layers, process.env);
}

/** A user id without a name is no reason to fail. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
