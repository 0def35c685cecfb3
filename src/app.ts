/** The composition root: the one file that knows both the operations' ports and what stands behind them. */
import { randomBytes } from "node:crypto";
import { hostname, userInfo } from "node:os";
import { DEFAULT_POLICY, type CapturePolicy } from "./domain/capture-policy.ts";
import { DEFAULT_CONFIG } from "./domain/config.ts";
import { SILENT, type Progress } from "./ports/progress.ts";
import type { CreatedBy } from "./domain/checkpoint.ts";
import { GitBranches } from "./adapters/git/git-branches.ts";
import { GitCheckpointStore } from "./adapters/git/git-checkpoint-store.ts";
import { GitLatestHint } from "./adapters/git/git-latest-hint.ts";
import { GitNotes } from "./adapters/git/git-notes.ts";
import { GitSessionStore } from "./adapters/git/git-session-store.ts";
import { GitWorkTree } from "./adapters/git/git-work-tree.ts";
import { ObjectReader } from "./adapters/git/object-reader.ts";
import { sweepQuarantine } from "./adapters/git/quarantine.ts";
import { openRepository } from "./adapters/git/repository.ts";
import { sweepAside } from "./adapters/git/restore/aside.ts";
import { GitRestorer } from "./adapters/git/restore/git-restorer.ts";
import { sha256 } from "./adapters/git/sha256.ts";
import { sweepTemporary } from "./adapters/git/sweep-temporary.ts";
import type { Project } from "./operations/project.ts";

export interface OpenOptions {
  readonly directory: string;
  readonly policy?: Partial<CapturePolicy>;
  /** Is told how far long work has come. */
  readonly progress?: Progress;
  /** Is told about settings that nobody knows. */
  readonly warn?: (message: string) => void;
  readonly agent?: Pick<CreatedBy, "agent" | "agent_session_id" | "tool_use_id">;
}

export async function openGitProject(options: OpenOptions): Promise<Project> {
  const repository = await openRepository(options.directory);
  const reader = new ObjectReader(repository);
  return {
    workTree: new GitWorkTree(repository, reader),
    checkpoints: new GitCheckpointStore(repository, reader),
    sessions: new GitSessionStore(repository, reader),
    restorer: new GitRestorer(repository, reader),
    branches: new GitBranches(repository, reader),
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
    policy: { ...DEFAULT_POLICY, ...options.policy },
    config: DEFAULT_CONFIG,
    progress: options.progress ?? SILENT,
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

/** A user id without a name is no reason to fail. */
function userName(): string | null {
  try {
    return userInfo().username;
  } catch {
    return null;
  }
}
