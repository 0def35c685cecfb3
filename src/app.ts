/** The composition root: the one file that knows both the operations' ports and what stands behind them. */
import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import { policyOf, withoutLimits, type CapturePolicy } from "./domain/capture-policy.ts";
import { configFailure, resolveConfig, type ResolvedConfig } from "./domain/config-resolution.ts";
import { NEVER_INTERRUPTED, type Interruption } from "./ports/interruption.ts";
import type { HealthCheck } from "./ports/health-check.ts";
import { SILENT, type Progress } from "./ports/progress.ts";
import type { ProjectSetup } from "./ports/project-setup.ts";
import type { CreatedBy } from "./domain/checkpoint.ts";
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
import { openRepository, type Repository } from "./adapters/git/repository.ts";
import { sweepAside } from "./adapters/git/restore/aside.ts";
import { GitRestorer } from "./adapters/git/restore/git-restorer.ts";
import { GitStashes } from "./adapters/git/stash/git-stashes.ts";
import { sha256 } from "./adapters/git/sha256.ts";
import { sweepTemporary } from "./adapters/git/sweep-temporary.ts";
import type { Project } from "./operations/project.ts";

export interface OpenOptions {
  readonly directory: string;
  readonly policy?: Partial<CapturePolicy>;
  /** Is told how far long work has come. */
  readonly progress?: Progress;
  /** Says when the user wants to stop. */
  readonly interruption?: Interruption;
  /** Is told about settings that nobody knows. */
  readonly warn?: (message: string) => void;
  /** Settings that are wrong: refuse (default), or warn and use the defaults in their place. */
  readonly onBadConfig?: "fail" | "warn";
  readonly agent?: Pick<CreatedBy, "agent" | "agent_session_id" | "tool_use_id">;
}

export async function openGitProject(options: OpenOptions): Promise<Project> {
  return projectOf(await openRepository(options.directory), options);
}

async function projectOf(repository: Repository, options: OpenOptions): Promise<Project> {
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

/** Every setting of the project in this folder, and where it came from. */
export async function inspectConfig(directory: string): Promise<ResolvedConfig> {
  return loadConfig(await openRepository(directory));
}

/** What `init` works with. */
export async function openSetup(
  directory: string,
): Promise<{ readonly setup: ProjectSetup; readonly close: () => void }> {
  const repository = await openRepository(directory);
  const { GitProjectSetup } = await import("./adapters/git/setup/git-project-setup.ts");
  const reader = new ObjectReader(repository);
  return { setup: new GitProjectSetup(repository, reader), close: () => reader.close() };
}

/** What `doctor` looks at; outside of a repository only the machine. */
export async function openDoctor(
  options: OpenOptions,
): Promise<{ readonly checks: readonly HealthCheck[]; readonly close: () => void }> {
  const [{ machineChecks }, { openingChecks }, { repositoryChecks }] = await Promise.all([
    import("./adapters/git/health/machine-checks.ts"),
    import("./adapters/git/health/opening-checks.ts"),
    import("./adapters/git/health/repository-checks.ts"),
  ]);
  const { configCheck, projectChecks } = await import("./operations/project-checks.ts");
  const { checks, repository } = await openingChecks(options.directory);
  const first = [...machineChecks(), ...checks];
  if (repository === undefined) return { checks: first, close: () => undefined };
  const project = await projectOf(repository, { ...options, onBadConfig: "warn" });
  return {
    checks: [
      ...first,
      ...repositoryChecks(repository),
      configCheck(() => loadConfig(repository)),
      ...projectChecks(project),
    ],
    close: project.close,
  };
}

async function loadConfig(repository: Repository): Promise<ResolvedConfig> {
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
